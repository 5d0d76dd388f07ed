import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AttackTarget } from './attack-target.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const SLOW = '^(([a-z])+.)+[A-Z]([a-z])+$';
const BACKTRACKING_INPUT = `${'a'.repeat(200_000)}!`;
/** Generous for a busy machine; a backtracking engine would need years. */
const MAX_MS = 15_000;

describe('Expressions with exponential cost in a backtracking engine', () => {
  let target: AttackTarget;
  before(async () => {
    target = await AttackTarget.open();
  });
  after(() => target?.close());

  /** Other requests are answered while `work` runs. */
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const other = target.client.get('/api/v1/namespaces/own').then(() => performance.now() - begun);
    const done = await work;
    assert.ok(performance.now() - begun < MAX_MS, `${performance.now() - begun} ms`);
    assert.ok((await other) < MAX_MS);
    return done;
  };

  test('They are evaluated fast as patterns and rules of custom resources.', async () => {
    const text = { type: 'string', pattern: SLOW, maxLength: 1_000_000 };
    const rule = { rule: `self.matches('${SLOW}')` };
    const properties = {
      pattern: text,
      rule: { type: 'string', maxLength: 300_000, 'x-kubernetes-validations': [rule] },
    };
    await target.define('slows', 'Slow', { type: 'object', properties });
    const path = '/apis/example.com/v1/slows';
    const create = (body: object) =>
      target.client.request('POST', path, {
        body: { apiVersion: 'example.com/v1', kind: 'Slow', metadata: { name: 'a' }, ...body },
      });
    const first = await create({});
    assert.equal(first.code, 201, first.text);
    for (const field of ['pattern', 'rule']) {
      const { code } = await inTime(create({ metadata: { name: field }, [field]: BACKTRACKING_INPUT }));
      assert.equal(code, 422, field);
    }
  });

  test('Overlong names, labels, selectors, media types and versions are processed fast.', async () => {
    const long = 'a'.repeat(30_000);
    const replies: ReadonlyArray<Promise<{ code: number }>> = [
      target.client.request('POST', MAPS, { body: { metadata: { name: `${long}!` } } }),
      target.client.request('POST', MAPS, { body: { metadata: { name: 'l', labels: { [`${long}!`]: long } } } }),
      target.client.request('POST', MAPS, { body: { metadata: { generateName: `${'a-'.repeat(15_000)}!` } } }),
      target.client.get(`${MAPS}?labelSelector=${encodeURIComponent(`a in (${'a,'.repeat(3000)}`)}`),
      target.client.get(`${MAPS}?labelSelector=${'('.repeat(7000)}`),
      target.client.get(`${MAPS}?fieldSelector=${'metadata.name%3D'.repeat(500)}`),
      target.client.request('GET', MAPS, { headers: { Accept: `${'application/json;'.repeat(400)}q=0` } }),
      target.client.request('GET', MAPS, { headers: { Accept: ','.repeat(7000) } }),
      target.client.request('GET', MAPS, { headers: { 'Accept-Encoding': 'gzip;q=0,'.repeat(800) } }),
      target.client.get(`${MAPS}?resourceVersion=${'9'.repeat(7000)}`),
      target.client.get(`${MAPS}?limit=${'0'.repeat(7000)}1`),
      target.client.get(`${MAPS}?continue=${'A'.repeat(7000)}`),
      target.client.request('POST', '/api/v1/namespaces/own/pods', {
        body: {
          metadata: { name: 'q' },
          spec: {
            containers: [
              {
                name: 'a',
                image: `${'a/'.repeat(20_000)}:`,
                resources: { limits: { cpu: `${'9'.repeat(20_000)}e${'9'.repeat(2000)}` } },
              },
            ],
          },
        },
      }),
      target.client.request('POST', '/apis/batch/v1/namespaces/own/cronjobs', {
        body: {
          metadata: { name: 'c' },
          spec: {
            schedule: `${'*/1,'.repeat(20_000)} * * * *`,
            jobTemplate: {
              spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } } },
            },
          },
        },
      }),
    ];
    for (const reply of replies) {
      const { code } = await inTime(reply);
      assert.ok(code < 500, String(code));
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Stage } from './stage.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const SLOW = '^(([a-z])+.)+[A-Z]([a-z])+$';
const BAIT = `${'a'.repeat(200_000)}!`;
/** Generous for a busy machine, and nothing against the years that a bad engine would take. */
const MOST_MS = 15_000;

describe('An expression that a bad engine would need years for', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage?.close());

  /** While something is under way others are answered. */
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const other = stage.client.get('/api/v1/namespaces/own').then(() => performance.now() - begun);
    const done = await work;
    assert.ok(performance.now() - begun < MOST_MS, `${performance.now() - begun} ms`);
    assert.ok((await other) < MOST_MS);
    return done;
  };

  test('is harmless as a pattern of a custom resource, and as a rule of one', async () => {
    const text = { type: 'string', pattern: SLOW, maxLength: 1_000_000 };
    const rule = { rule: `self.matches('${SLOW}')` };
    const properties = {
      pattern: text,
      rule: { type: 'string', maxLength: 300_000, 'x-kubernetes-validations': [rule] },
    };
    await stage.define('slows', 'Slow', { type: 'object', properties });
    const path = '/apis/example.com/v1/slows';
    const create = (body: object) =>
      stage.client.ask('POST', path, {
        body: { apiVersion: 'example.com/v1', kind: 'Slow', metadata: { name: 'a' }, ...body },
      });
    const first = await create({});
    assert.equal(first.code, 201, first.text);
    for (const field of ['pattern', 'rule']) {
      const { code } = await inTime(create({ metadata: { name: field }, [field]: BAIT }));
      assert.equal(code, 422, field);
    }
  });

  test('is harmless in names, labels, selectors, media types and versions', async () => {
    const long = 'a'.repeat(30_000);
    const asks: ReadonlyArray<Promise<{ code: number }>> = [
      stage.client.ask('POST', MAPS, { body: { metadata: { name: `${long}!` } } }),
      stage.client.ask('POST', MAPS, { body: { metadata: { name: 'l', labels: { [`${long}!`]: long } } } }),
      stage.client.ask('POST', MAPS, { body: { metadata: { generateName: `${'a-'.repeat(15_000)}!` } } }),
      stage.client.get(`${MAPS}?labelSelector=${encodeURIComponent(`a in (${'a,'.repeat(3000)}`)}`),
      stage.client.get(`${MAPS}?labelSelector=${'('.repeat(7000)}`),
      stage.client.get(`${MAPS}?fieldSelector=${'metadata.name%3D'.repeat(500)}`),
      stage.client.ask('GET', MAPS, { headers: { Accept: `${'application/json;'.repeat(400)}q=0` } }),
      stage.client.ask('GET', MAPS, { headers: { Accept: ','.repeat(7000) } }),
      stage.client.ask('GET', MAPS, { headers: { 'Accept-Encoding': 'gzip;q=0,'.repeat(800) } }),
      stage.client.get(`${MAPS}?resourceVersion=${'9'.repeat(7000)}`),
      stage.client.get(`${MAPS}?limit=${'0'.repeat(7000)}1`),
      stage.client.get(`${MAPS}?continue=${'A'.repeat(7000)}`),
      stage.client.ask('POST', '/api/v1/namespaces/own/pods', {
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
      stage.client.ask('POST', '/apis/batch/v1/namespaces/own/cronjobs', {
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
    for (const ask of asks) {
      const { code } = await inTime(ask);
      assert.ok(code < 500, String(code));
    }
  });
});

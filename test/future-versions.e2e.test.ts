import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, configMap, MAPS } from './support/client.ts';
import { metricAt } from './support/metric.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const FUTURE = '9999999';
const READER = 'reader-token';
/** A page of the future, as the server itself would write its token. */
const TOKEN = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: Number(FUTURE), start: 'x\0' })).toString(
  'base64url',
);

/** Whoever may read one namespace can name any version: it must not become what the system believes. */
describe('A version of the future', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
    await client.ask('POST', MAPS, { body: configMap('there') });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await client.ask('POST', `${rbac}/roles`, { body: { metadata: { name: 'reader' }, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }];
    await client.ask('POST', `${rbac}/rolebindings`, { body: { metadata: { name: 'reader' }, roleRef, subjects } });
  });
  after(() => system?.stop());

  const reads: Record<string, string> = {
    'a get': `/there?resourceVersion=${FUTURE}`,
    'a get of the largest number': '/there?resourceVersion=18446744073709551615',
    'a list': `?resourceVersion=${FUTURE}`,
    'a list that is not older': `?resourceVersion=${FUTURE}&resourceVersionMatch=NotOlderThan`,
    'a list at exactly that version': `?resourceVersion=${FUTURE}&resourceVersionMatch=Exact`,
    'a page': `?resourceVersion=${FUTURE}&limit=2`,
    'a next page with a token of one’s own making': `?limit=2&continue=${TOKEN}`,
    'a streaming list': `?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${FUTURE}`,
  };

  test('is answered with 504 for every read, and the watch service does not look for it', async () => {
    const filled = await gapFills();
    const asked = Object.entries(reads).map(async ([name, query]) => {
      const { code, json, headers } = await client.ask('GET', `${MAPS}${query}`, { token: READER });
      assert.equal(code, 504, name);
      assert.equal(json.reason, 'Timeout', name);
      assert.equal(json.details.causes[0].reason, 'ResourceVersionTooLarge', name);
      assert.equal(headers['retry-after'], '1', name);
    });
    await Promise.all(asked);
    assert.equal(await gapFills(), filled);
    assert.equal(await behind(), 'ok');
  });

  test('of a watch is waited for, and nothing is looked for meanwhile', async () => {
    const filled = await gapFills();
    const { code, text } = await client.ask('GET', `${MAPS}?watch=1&resourceVersion=${FUTURE}&timeoutSeconds=2`, {
      token: READER,
    });
    assert.deepEqual([code, text], [200, '']);
    assert.equal(await gapFills(), filled);
    assert.equal(await behind(), 'ok');
  });

  test('does not keep later reads and writes from their versions', async () => {
    const made = await client.ask('POST', MAPS, { body: configMap('later') });
    const version = made.json.metadata.resourceVersion;
    const found = await client.ask('GET', `${MAPS}/later?resourceVersion=${version}`, { token: READER });
    assert.equal(found.code, 200);
  });

  const gapFills = () => metricAt(system.tidegate.part('watch').opsAddress as string, 'tidegate_watch_gap_fills_total');

  async function behind(): Promise<string> {
    return (await fetch(`http://${system.tidegate.part('watch').opsAddress}/readyz/feed`)).text();
  }
});

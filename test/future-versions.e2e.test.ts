import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { metricAt } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const FUTURE = '9999999';
const READER = 'reader-token';
/** A continue token for a future version, in the format of the server. */
const TOKEN = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: Number(FUTURE), start: 'x\0' })).toString(
  'base64url',
);

/** A user who may read one namespace can request any version; the system must not accept it as an existing version. */
describe('Future versions', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
    await client.request('POST', MAPS, { body: configMap('there') });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await client.request('POST', `${rbac}/roles`, { body: { metadata: { name: 'reader' }, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }];
    await client.request('POST', `${rbac}/rolebindings`, { body: { metadata: { name: 'reader' }, roleRef, subjects } });
  });
  after(() => system?.stop());

  const reads: Record<string, string> = {
    'a get': `/there?resourceVersion=${FUTURE}`,
    'a get of the largest number': '/there?resourceVersion=18446744073709551615',
    'a list': `?resourceVersion=${FUTURE}`,
    'a list that is not older': `?resourceVersion=${FUTURE}&resourceVersionMatch=NotOlderThan`,
    'a list at exactly that version': `?resourceVersion=${FUTURE}&resourceVersionMatch=Exact`,
    'a page': `?resourceVersion=${FUTURE}&limit=2`,
    'a next page with a forged token': `?limit=2&continue=${TOKEN}`,
    'a streaming list': `?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${FUTURE}`,
  };

  test('Every read at a future version fails with 504 and causes no gap fill.', async () => {
    const filled = await gapFills();
    const replies = Object.entries(reads).map(async ([name, query]) => {
      const { code, json, headers } = await client.request('GET', `${MAPS}${query}`, { token: READER });
      assert.equal(code, 504, name);
      assert.equal(json.reason, 'Timeout', name);
      assert.equal(json.details.causes[0].reason, 'ResourceVersionTooLarge', name);
      assert.equal(headers['retry-after'], '1', name);
    });
    await Promise.all(replies);
    assert.equal(await gapFills(), filled);
    assert.equal(await behind(), 'ok');
  });

  test('A watch at a future version waits and causes no gap fill.', async () => {
    const filled = await gapFills();
    const { code, text } = await client.request('GET', `${MAPS}?watch=1&resourceVersion=${FUTURE}&timeoutSeconds=2`, {
      token: READER,
    });
    assert.deepEqual([code, text], [200, '']);
    assert.equal(await gapFills(), filled);
    assert.equal(await behind(), 'ok');
  });

  test('Later reads and writes are not affected.', async () => {
    const made = await client.request('POST', MAPS, { body: configMap('later') });
    const version = made.json.metadata.resourceVersion;
    const found = await client.request('GET', `${MAPS}/later?resourceVersion=${version}`, { token: READER });
    assert.equal(found.code, 200);
  });

  const gapFills = () => metricAt(system.tidegate.part('watch').opsAddress as string, 'tidegate_watch_gap_fills_total');

  async function behind(): Promise<string> {
    return (await fetch(`http://${system.tidegate.part('watch').opsAddress}/readyz/feed`)).text();
  }
});

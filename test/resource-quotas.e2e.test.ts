import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import type { Client, Reply } from './support/client.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const CREATORS = 100;

describe('Resource quotas with two gateways', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(COMPLETE);
    client = system.client;
  });
  after(() => system?.stop());

  const create = (path: string, object: object) => client.request('POST', path, { body: object });
  const map = (name: string) => ({ metadata: { name } });
  const used = async (path: string) => (await client.get(`${path}/resourcequotas/q`)).json.status?.used;

  /** Creates a namespace with a service account, so that pods can be created. */
  async function namespace(name: string): Promise<string> {
    const path = `/api/v1/namespaces/${name}`;
    assert.equal((await create('/api/v1/namespaces', map(name))).code, 201);
    const account = async () => (await client.get(`${path}/serviceaccounts/default`)).code === 200;
    await until('the service account', account);
    return path;
  }

  /** Creates a namespace with a quota and waits until its usage is counted. */
  async function namespaceWith(name: string, hard: Record<string, string>): Promise<string> {
    const path = await namespace(name);
    assert.equal((await create(`${path}/resourcequotas`, { ...map('q'), spec: { hard } })).code, 201);
    await until('the quota to be counted', async () => {
      const { status } = (await client.get(`${path}/resourcequotas/q`)).json;
      return JSON.stringify(status?.hard) === JSON.stringify(hard) && status.used !== undefined;
    });
    return path;
  }

  function countCodes(replies: readonly Reply[]): Record<string, number> {
    const codes: Record<string, number> = {};
    for (const { code } of replies) codes[code] = (codes[code] ?? 0) + 1;
    return codes;
  }

  test('A quota counts existing objects.', async () => {
    const path = await namespace('old');
    await create(`${path}/secrets`, map('a'));
    const spec = { containers: [{ name: 'main', image: 'a', resources: { requests: { cpu: '250m' } } }] };
    await create(`${path}/pods`, { ...map('p'), spec });
    const hard = { secrets: '5', 'count/services': '1', pods: '3', 'requests.cpu': '2' };
    await create(`${path}/resourcequotas`, { ...map('q'), spec: { hard } });
    const status = await until('the usage', async () => {
      const found = (await client.get(`${path}/resourcequotas/q`)).json.status;
      return found?.used === undefined ? undefined : found;
    });
    assert.deepEqual(status, {
      hard,
      used: { secrets: '1', 'count/services': '0', pods: '1', 'requests.cpu': '250m' },
    });
  });

  test('A quota that is created during writes counts all objects.', async () => {
    const path = await namespace('midst');
    const quota = { ...map('q'), spec: { hard: { secrets: '1000' } } };
    const make = (from: number) =>
      Array.from({ length: 30 }, (_, i) => create(`${path}/secrets`, map(`m-${from + i}`)));
    const replies = await Promise.all([...make(0), create(`${path}/resourcequotas`, quota), ...make(30)]);
    assert.deepEqual(countCodes(replies), { 201: 61 });
    await until('all objects to be counted', async () => (await used(path))?.secrets === '60');
  });

  test('A hundred concurrent creations never exceed a number of objects.', async () => {
    const path = await namespaceWith('many', { secrets: '30' });
    const names = Array.from({ length: CREATORS }, (_, i) => `map-${i}`);
    const replies = await Promise.all(names.map((name) => create(`${path}/secrets`, map(name))));
    assert.deepEqual(countCodes(replies), { 201: 30, 403: 70 });
    const refused = replies.find(({ code }) => code === 403)?.json.message;
    const words = 'exceeded quota: q, requested: secrets=1, used: secrets=30, limited: secrets=30';
    assert.match(refused, new RegExp(`^secrets "map-\\d+" is forbidden: ${words}$`));
    assert.equal((await client.get(`${path}/secrets`)).json.items.length, 30);
    assert.deepEqual(await used(path), { secrets: '30' });
  });

  test('Concurrent creations never exceed an amount.', async () => {
    const path = await namespaceWith('amounts', { 'requests.cpu': '2' });
    const spec = { containers: [{ name: 'main', image: 'a', resources: { requests: { cpu: '100m' } } }] };
    const names = Array.from({ length: 40 }, (_, i) => `pod-${i}`);
    const replies = await Promise.all(names.map((name) => create(`${path}/pods`, { ...map(name), spec })));
    assert.deepEqual(countCodes(replies), { 201: 20, 403: 20 });
    assert.deepEqual(await used(path), { 'requests.cpu': '2' });
  });

  test('Failed creations and dry runs are not counted.', async () => {
    const path = await namespaceWith('taken', { secrets: '2' });
    assert.equal((await create(`${path}/secrets`, map('a'))).code, 201);
    assert.equal((await create(`${path}/secrets`, map('a'))).code, 409);
    assert.equal((await create(`${path}/secrets?dryRun=All`, map('b'))).code, 201);
    assert.deepEqual(await used(path), { secrets: '1' });
    assert.equal((await create(`${path}/secrets`, map('b'))).code, 201);
    assert.equal((await create(`${path}/secrets?dryRun=All`, map('c'))).code, 403);
  });

  test('Deletions release the quota, and it is not exceeded during a recount.', async () => {
    const path = await namespaceWith('churn', { secrets: '5' });
    const maps = `${path}/secrets`;
    let most = 0;
    const churn = async (worker: number) => {
      for (let i = 0; i < 10; i++) {
        const name = `map-${worker}-${i}`;
        if ((await create(maps, map(name))).code !== 201) continue;
        most = Math.max(most, (await client.get(maps)).json.items.length);
        await client.request('DELETE', `${maps}/${name}`);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, worker) => churn(worker)));
    assert.ok(most > 0 && most <= 5, `${most} at once`);
    await until('the usage to be 0', async () => (await used(path)).secrets === '0');
  });

  test('A finished pod releases its quota before it is deleted.', async () => {
    const path = await namespaceWith('ended', { pods: '1', 'count/pods': '2' });
    const spec = { containers: [{ name: 'main', image: 'a' }] };
    assert.equal((await create(`${path}/pods`, { ...map('a'), spec })).code, 201);
    assert.equal((await create(`${path}/pods`, { ...map('b'), spec })).code, 403);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await client.request('PATCH', `${path}/pods/a/status`, { headers, body: { status: { phase: 'Succeeded' } } });
    await until('the usage to be 0', async () => (await used(path)).pods === '0');
    assert.equal((await create(`${path}/pods`, { ...map('b'), spec })).code, 201);
    assert.deepEqual(await used(path), { pods: '1', 'count/pods': '2' });
  });

  test('Custom resources are counted.', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      metadata: { name: 'boats.quota.example.com' },
      spec: {
        group: 'quota.example.com',
        scope: 'Namespaced',
        names: { plural: 'boats', kind: 'Boat' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const path = await namespaceWith('custom', { 'count/boats.quota.example.com': '1' });
    const boats = '/apis/quota.example.com/v1/namespaces/custom/boats';
    const boat = (name: string) => ({ apiVersion: 'quota.example.com/v1', kind: 'Boat', ...map(name) });
    await until('boats to be served', async () => (await client.get(boats)).code === 200);
    assert.equal((await create(boats, boat('a'))).code, 201);
    assert.equal((await create(boats, boat('b'))).code, 403);
    await client.request('DELETE', `${boats}/a`);
    await until('the usage to be 0', async () => (await used(path))['count/boats.quota.example.com'] === '0');
  });

  test('A raised limit takes effect after the next count.', async () => {
    const path = await namespaceWith('raised', { secrets: '1' });
    assert.equal((await create(`${path}/secrets`, map('a'))).code, 201);
    assert.equal((await create(`${path}/secrets`, map('b'))).code, 403);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await client.request('PATCH', `${path}/resourcequotas/q`, { headers, body: { spec: { hard: { secrets: '2' } } } });
    await until('the creation', async () => (await create(`${path}/secrets`, map('b'))).code === 201);
  });
});

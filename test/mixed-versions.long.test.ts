import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Cluster, programFile, startCluster, until, whyNoNats } from '@tidegate/testkit';
import { Api } from './reliability/load/api.ts';
import { configMap, MAPS } from './support/client.ts';
import { previousVersion, whyNoPreviousVersion } from './support/previous-version.ts';
import { RollingWatcher } from './support/rolling-watcher.ts';

const PARTS = ['store-1', 'watch-1', 'gateway-1'] as const;
type Part = (typeof PARTS)[number];

/** A new store migrates the database of an old one, and an old store works with the migrated database. */
const STEPS: ReadonlyArray<readonly [part: Part, to: 'new' | 'old']> = [
  ['store-1', 'new'],
  ['watch-1', 'new'],
  ['gateway-1', 'new'],
  ['store-1', 'old'],
  ['gateway-1', 'old'],
  ['store-1', 'new'],
  ['watch-1', 'old'],
  ['gateway-1', 'new'],
  ['store-1', 'old'],
];

async function exchange(cluster: Cluster, name: Part, main: string): Promise<void> {
  const part = cluster.parts.get(name);
  assert.ok(part !== undefined);
  part.main = main;
  await cluster.restart(name);
  for (const one of PARTS) await until(`${one} to be ready`, () => cluster.ready(one), 60_000);
}

const SECRETS = '/api/v1/namespaces/default/secrets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function deployment(name: string, replicas: number) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'only', image: 'example.com/only:1' }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

/** Uses every verb once and checks the objects of earlier steps. Returns the version of the last object. */
async function exercise(api: Api, step: number): Promise<number> {
  const send = async (method: string, path: string, code: number, body?: unknown, contentType?: string) => {
    const type = contentType === undefined ? {} : { contentType };
    const reply = await api.send({ method, path, ...(body === undefined ? {} : { body }), ...type });
    assert.ok(reply.kind === 'answered', `${method} ${path}: ${reply.kind}`);
    assert.equal(reply.code, code, `${method} ${path}: ${JSON.stringify(reply.json)}`);
    return reply.json;
  };
  const created = await send('POST', MAPS, 201, configMap(`kept-${step}`));
  const path = `${MAPS}/kept-${step}`;
  await send('PUT', path, 200, { ...created, data: { put: 'yes' } });
  await send('PATCH', path, 200, { data: { patched: 'yes' } }, 'application/merge-patch+json');
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `kept-${step}` }, data: { applied: 'yes' } };
  const last = await send('PATCH', `${path}?fieldManager=mixed`, 200, applied, 'application/apply-patch+yaml');
  assert.deepEqual(last.data, { put: 'yes', patched: 'yes', applied: 'yes' });
  await send('POST', SECRETS, 201, { metadata: { name: `secret-${step}` }, stringData: { word: `of step ${step}` } });
  await send('POST', DEPLOYMENTS, 201, deployment(`app-${step}`, step));
  await send('POST', MAPS, 201, configMap(`gone-${step}`));
  await send('DELETE', `${MAPS}/gone-${step}`, 200);
  await send('GET', `${MAPS}/gone-${step}`, 404);
  const { items } = await send('GET', MAPS, 200);
  const kept = (items as Array<typeof last>).filter(({ metadata }) => metadata.name.startsWith('kept-'));
  assert.equal(kept.length, step + 1);
  assert.ok(kept.every(({ data }) => data.applied === 'yes'));
  for (let i = 0; i <= step; i++) {
    const secret = await send('GET', `${SECRETS}/secret-${i}`, 200);
    assert.equal(Buffer.from(secret.data.word, 'base64').toString(), `of step ${i}`);
    assert.equal((await send('GET', `${DEPLOYMENTS}/app-${i}`, 200)).spec.replicas, i);
  }
  return Number(last.metadata.resourceVersion);
}

test('Parts of this version and of the previous one work together, in both directions.', {
  skip: whyNoPreviousVersion() ?? (await whyNoNats()) ?? false,
}, async () => {
  const previous = await previousVersion();
  const old = (part: string) => join(previous.root, 'services', part, 'src', 'main.ts');
  const cluster = await startCluster({ replicas: 1, nats: true, program: old });
  const endpoint = cluster.endpoints[0]!;
  const api = new Api(endpoint, 20_000);
  const watched = new Api(endpoint, 600_000);
  const watcher = new RollingWatcher([watched]);
  try {
    await api.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
    const listed = await api.send({ method: 'GET', path: MAPS });
    assert.ok(listed.kind === 'answered');
    const watching = watcher.run(MAPS, Number(listed.json.metadata.resourceVersion));
    const versions = [await exercise(api, 0)];
    for (const [i, [part, to]] of STEPS.entries()) {
      const service = part.replace('-1', '') as 'store' | 'watch' | 'gateway';
      await exchange(cluster, part, to === 'old' ? old(service) : await programFile(service));
      versions.push(await exercise(api, i + 1));
    }
    await until('the watcher to catch up', () => watcher.last >= (versions.at(-1) as number));
    watcher.stop();
    await watching;
    assert.equal(watcher.relists, 0);
    assert.ok(watcher.versions.every((version, i) => i === 0 || version > (watcher.versions[i - 1] as number)));
    assert.ok(versions.every((version) => watcher.versions.includes(version)));
  } finally {
    watcher.stop();
    for (const one of [api, watched]) one.close();
    await cluster.stop();
    previous.remove();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackgroundAnswer } from './background-request.ts';
import { type AskRemote, aggregatedResources, RemoteDiscovery } from './remote-discovery.ts';

const PLACE = { group: 'fruit.example.com', version: 'v1' };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const resource = {
  resource: 'apples',
  responseKind: { ...PLACE, kind: 'Apple' },
  scope: 'Namespaced',
  singularResource: 'apple',
  verbs: ['list'],
};

type Answers = Readonly<Record<string, Partial<BackgroundAnswer> & { readonly json?: unknown }>>;

/** What was asked, and with which tag. */
function server(answers: Answers): { ask: AskRemote; asked: string[] } {
  const asked: string[] = [];
  const ask: AskRemote = async (path, { headers }) => {
    const tag = headers[headers.indexOf('If-None-Match') + 1];
    asked.push(headers.includes('If-None-Match') ? `${path} ${tag}` : path);
    const { json, ...answer } = answers[path] ?? { code: 404 };
    return { code: 200, headers: {}, body: Buffer.from(JSON.stringify(json ?? {})), ...answer };
  };
  return { ask, asked };
}

function listOf(...resources: object[]): unknown {
  return { items: [{ metadata: { name: PLACE.group }, versions: [{ version: 'v1', resources }] }] };
}

test('an entry that was never read is stale, and has no resources', () => {
  assert.deepEqual(new RemoteDiscovery(PLACE).entry, { version: 'v1', freshness: 'Stale' });
});

test('the aggregated form is used, and requested with its ETag the next time', async () => {
  const discovery = new RemoteDiscovery(PLACE);
  const headers = { 'content-type': AGGREGATED, etag: '"a"' };
  await discovery.refresh(server({ '/apis': { headers, json: listOf(resource) } }).ask);
  assert.deepEqual(discovery.entry, { version: 'v1', resources: [resource], freshness: 'Current' });
  const again = server({ '/apis': { code: 304 } });
  await discovery.refresh(again.ask);
  assert.deepEqual(again.asked, ['/apis "a"']);
  assert.deepEqual(discovery.entry, { version: 'v1', resources: [resource], freshness: 'Current' });
});

test('invalid fields are omitted, and the rest is used', async () => {
  const discovery = new RemoteDiscovery(PLACE);
  const wrong = { ...resource, verbs: ['list', 7, null], shortNames: 'ap', count: 2n ** 70n, responseKind: [] };
  const subresources = [{ subresource: {}, verbs: 1 }, 'status'];
  const json = JSON.stringify(listOf({ ...wrong, count: 1, subresources })).replace(
    '"count":1',
    `"count":${2n ** 70n}`,
  );
  const headers = { 'content-type': AGGREGATED };
  await discovery.refresh(server({ '/apis': { headers, body: Buffer.from(json) } }).ask);
  const empty = { subresource: '', responseKind: {}, verbs: [] };
  assert.deepEqual(discovery.entry.resources, [{ ...resource, responseKind: {}, subresources: [empty] }]);
});

test('a server with only the plain form is asked for its group version', async () => {
  const discovery = new RemoteDiscovery(PLACE);
  const list = {
    resources: [{ name: 'apples', kind: 'Apple', singularName: 'apple', namespaced: true, verbs: ['get'] }],
  };
  const { ask, asked } = server({ '/apis': { json: {} }, '/apis/fruit.example.com/v1': { json: list } });
  await discovery.refresh(ask);
  assert.deepEqual(asked, ['/apis', '/apis/fruit.example.com/v1']);
  assert.equal(discovery.entry.freshness, 'Current');
});

test('the entry is stale while the server is unreachable', async () => {
  const discovery = new RemoteDiscovery(PLACE);
  const headers = { 'content-type': AGGREGATED, etag: '"a"' };
  const good = server({ '/apis': { headers, json: listOf(resource) } });
  await discovery.refresh(good.ask);
  const { signature } = discovery;
  await assert.rejects(
    discovery.refresh(server({ '/apis': { code: 503 } }).ask),
    /failed to download legacy discovery/,
  );
  assert.deepEqual(discovery.entry, { version: 'v1', freshness: 'Stale' });
  assert.notEqual(discovery.signature, signature);
  await discovery.refresh(good.ask);
  assert.equal(discovery.signature, signature);
});

test('the plain form is converted: subresources are nested in their resources', () => {
  const list = [
    { name: 'apples', kind: 'Apple', singularName: 'apple', namespaced: true, verbs: ['get'], shortNames: ['ap'] },
    { name: 'apples/scale', kind: 'Scale', group: 'autoscaling', version: 'v1', namespaced: true, verbs: ['get'] },
    { name: 'trees/status', kind: 'Tree', namespaced: false, verbs: ['get'] },
  ];
  assert.deepEqual(aggregatedResources(list, PLACE), [
    {
      resource: 'apples',
      responseKind: { ...PLACE, kind: 'Apple' },
      scope: 'Namespaced',
      singularResource: 'apple',
      verbs: ['get'],
      shortNames: ['ap'],
      subresources: [
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] },
      ],
    },
    {
      resource: 'trees',
      responseKind: {},
      scope: 'Cluster',
      singularResource: '',
      verbs: [],
      subresources: [{ subresource: 'status', responseKind: { ...PLACE, kind: 'Tree' }, verbs: ['get'] }],
    },
  ]);
});

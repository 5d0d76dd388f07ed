import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type TestAggregatedServer, temporaryDir, until } from '@tidegate/testkit';
import {
  API_SERVICES,
  appleServer,
  GROUP,
  headerValues,
  mergePatch,
  NAME,
  register,
  untilCondition,
} from './support/aggregation.ts';
import { type Client, configMap, MAPS } from './support/client.ts';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const APPLES = `${GROUP}/namespaces/default/apples`;
const AGGREGATED = { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

interface GroupDiscovery {
  readonly metadata: { readonly name: string };
  readonly versions: ReadonlyArray<{
    readonly version: string;
    readonly freshness: string;
    readonly resources?: object[];
  }>;
}

async function discoveredFruit(client: Client): Promise<GroupDiscovery | undefined> {
  const { items } = (await client.get('/apis', AGGREGATED)).json;
  return (items as GroupDiscovery[]).find(({ metadata }) => metadata.name === 'fruit.example.com');
}

function freshness(client: Client, wanted: string): Promise<unknown> {
  return until(`the group to be ${wanted}`, async () => {
    return (await discoveredFruit(client))?.versions[0]?.freshness === wanted;
  });
}

describe('Aggregated servers', () => {
  let system: RunningSystem;
  let client: Client;
  let server: TestAggregatedServer;
  before(async () => {
    system = await sharedSystem(COMPLETE);
    ({ client } = system);
    server = await appleServer(client, { isAggregated: true });
    await register(client, server);
    await untilCondition(client, 'True', 'Passed');
  });
  after(async () => {
    await server?.stop();
    await system?.stop();
  });

  const options = (path: string, rest: RequestOptions): RequestOptions => {
    const { hostname, port } = new URL(system.tidegate.server);
    const ca = readFileSync(system.tidegate.caFile);
    const headers = { Authorization: `Bearer ${system.tidegate.token}`, ...rest.headers };
    return { hostname, port, path, ca, agent: false, ...rest, headers };
  };

  test('An aggregated server receives the identity of the user, and no credentials or identity headers of the client.', async () => {
    const { json } = await client.get(`${APPLES}/a/echo?a=1&b=%20x`, {
      'X-Remote-User': 'mallory',
      'X-Remote-Group': 'rulers',
      'X-Remote-Extra-Scope': 'all',
      'X-Remote-Uid': '7',
      'Impersonate-User': 'ann',
      'Impersonate-Group': 'system:masters',
      'Impersonate-Extra-example.org%2Fscope': 'trees',
    });
    const values = (name: string) => headerValues(json.rawHeaders, name);
    assert.deepEqual(values('x-remote-user'), ['ann']);
    assert.deepEqual(values('x-remote-group'), ['system:masters', 'system:authenticated']);
    assert.deepEqual(values('x-remote-extra-example.org%2fscope'), ['trees']);
    for (const name of ['authorization', 'impersonate-user', 'x-remote-uid', 'x-remote-extra-scope'])
      assert.deepEqual(values(name), [], name);
    assert.equal(json.url, `${APPLES}/a/echo?a=1&b=%20x`);
  });

  test('A Tidegate-Fence header of a client is removed, and the request is forwarded.', async () => {
    const controller = { 'Impersonate-User': 'system:kube-controller-manager', 'Impersonate-Group': 'system:masters' };
    for (const identity of [{}, controller, { 'X-Remote-User': 'system:kube-controller-manager' }]) {
      for (const fence of ['lifecycle=1', 'x']) {
        const { code, json, text } = await client.get(`${APPLES}/a/echo`, { 'Tidegate-Fence': fence, ...identity });
        assert.equal(code, 200, text);
        assert.equal(json.url, `${APPLES}/a/echo`);
        assert.deepEqual(headerValues(json.rawHeaders, 'tidegate-fence'), []);
      }
    }
  });

  test('Forbidden and unauthenticated requests are not forwarded.', async () => {
    const before = server.received.length;
    const forbidden = await client.get(APPLES, { 'Impersonate-User': 'ann' });
    assert.deepEqual([forbidden.code, forbidden.json.reason], [403, 'Forbidden']);
    assert.equal((await client.request('GET', APPLES, { token: 'wrong' })).code, 401);
    assert.ok(!server.received.slice(before).some(({ url }) => url === APPLES));
  });

  test('Objects of an aggregated server can be created, read, listed, deleted and watched.', async () => {
    const watch = await client.watch(`${APPLES}?watch=true`);
    const made = await client.request('POST', APPLES, { body: { metadata: { name: 'red' } } });
    assert.equal(made.code, 201, made.text);
    const { type, object } = await watch.next();
    assert.deepEqual([type, object], ['ADDED', made.json]);
    assert.deepEqual((await client.get(`${APPLES}/red`)).json, made.json);
    assert.equal((await client.get(APPLES)).json.items.length, 1);
    assert.equal((await client.request('DELETE', `${APPLES}/red`)).code, 200);
    assert.equal((await watch.next()).type, 'DELETED');
    watch.close();
    await until('the watch to end at the server', () => server.apples.watchers === 0);
  });

  test('A body of 10 MiB is forwarded over HTTP/1.1 and HTTP/2, above the limit for local objects.', async () => {
    const body = Buffer.alloc(10 << 20, 'a');
    const { json } = await client.request('POST', `${APPLES}/a/echo`, { body });
    assert.equal(json.bytes, body.length);
    const session = connect(system.tidegate.server, { ca: readFileSync(system.tidegate.caFile) });
    const headers = {
      ':method': 'POST',
      ':path': `${APPLES}/a/echo`,
      authorization: `Bearer ${system.tidegate.token}`,
    };
    const stream = session.request(headers).end(body);
    assert.equal(JSON.parse(await text(stream)).bytes, body.length);
    session.close();
  });

  test('An upgrade to another protocol is forwarded.', async () => {
    const headers = { Connection: 'Upgrade', Upgrade: 'echo', 'X-Remote-User': 'mallory' };
    const call = request(options(`${APPLES}/a/talk`, { headers })).end();
    const [response, socket] = (await once(call, 'upgrade')) as [IncomingMessage, Duplex];
    assert.equal(response.statusCode, 101);
    socket.write('hello');
    assert.equal(String((await once(socket, 'data'))[0]), 'hello');
    const { rawHeaders } = server.received.at(-1) ?? { rawHeaders: [] };
    assert.deepEqual(headerValues(rawHeaders, 'x-remote-user'), ['admin']);
    assert.deepEqual(headerValues(rawHeaders, 'authorization'), []);
    socket.destroy();
  });

  test('A redirect by an aggregated server is rejected with 502.', async () => {
    const redirected = await client.get(`${APPLES}/a/elsewhere`);
    assert.deepEqual(
      [redirected.code, redirected.text],
      [502, 'the backend attempted to redirect this request, which is not permitted'],
    );
  });

  test('A hanging request to an aggregated server does not delay other requests.', async () => {
    const call = request(options(`${APPLES}/a/silence`, {})).end();
    call.on('error', () => {});
    await until('the request to arrive', () => server.received.some(({ url }) => url.endsWith('/silence')));
    assert.equal((await client.get(`${APPLES}/a/echo`)).code, 200);
    assert.equal((await client.request('POST', MAPS, { body: configMap('meanwhile') })).code, 201);
    call.destroy();
  });

  test('An aggregated group is listed in every form of discovery, in the order of its priorities.', async () => {
    await freshness(client, 'Current');
    const fruit = await discoveredFruit(client);
    assert.deepEqual(fruit?.versions[0]?.resources?.length, 1);
    const groups = (await client.get('/apis')).json.groups.map(({ name }: { name: string }) => name);
    assert.equal(groups.at(-1), 'fruit.example.com');
    const { preferredVersion } = (await client.get('/apis/fruit.example.com')).json;
    assert.deepEqual(preferredVersion, { groupVersion: 'fruit.example.com/v1', version: 'v1' });
    assert.equal((await client.get(GROUP)).json.resources[0].name, 'apples');
    const { serverRelativeURL } = (await client.get('/openapi/v3')).json.paths['apis/fruit.example.com/v1'];
    const document = await client.get(serverRelativeURL);
    assert.equal(document.json.info.title, 'Apples');
    assert.match(String(document.headers['cache-control']), /immutable/);
    const { paths, definitions } = (await client.get('/openapi/v2')).json;
    const path = '/apis/fruit.example.com/v1/namespaces/{namespace}/apples/{name}';
    assert.deepEqual(paths[path].get.responses[200].schema, { $ref: '#/definitions/Apple' });
    assert.deepEqual(definitions.Apple.properties, { colour: { type: 'string' } });
  });

  test('An unmodified kubectl works with an aggregated group.', { skip: whyNoKubectl() ?? false }, async () => {
    assert.equal((await client.request('POST', APPLES, { body: { metadata: { name: 'sweet' } } })).code, 201);
    const cache = temporaryDir('kubectl-cache');
    const run = (...args: string[]) => kubectl(system.tidegate.kubeconfig, [`--cache-dir=${cache.path}`, ...args]);
    assert.match(
      (await run('api-resources', '--api-group=fruit.example.com')).stdout,
      /^apples +ap +fruit.example.com\/v1 /m,
    );
    assert.match((await run('get', 'ap', '-o', 'name')).stdout, /^apple.fruit.example.com\/sweet$/m);
    assert.match((await run('explain', 'apples')).stdout, /colour\t<string>/);
    assert.equal((await run('wait', '--for=condition=Available', `apiservice/${NAME}`)).code, 0);
    assert.match((await run('get', 'apiservices', NAME)).stdout, /default\/fruit +True/);
    assert.equal((await run('delete', 'apple', 'sweet', '--wait=false')).code, 0);
    assert.equal(server.apples.get('default', 'sweet'), undefined);
    cache.remove();
  });

  test('While an aggregated server is down, only its group answers 503 and is stale in discovery.', async () => {
    const etag = async () => (await client.get('/apis', AGGREGATED)).headers.etag;
    await freshness(client, 'Current');
    const before = await etag();
    assert.equal(await etag(), before);
    await server.stop();
    const unreachable = 'error trying to reach service: the server could not be reached\n';
    assert.equal((await client.get(APPLES)).text, unreachable);
    const { message } = await untilCondition(client, 'False', 'FailedDiscoveryCheck');
    assert.match(message, /^failing or missing response from https:\/\/\S+:\d+\/apis\/fruit.example.com\/v1: Get /);
    const { text: metrics } = await client.get('/metrics');
    assert.match(metrics, /^aggregator_unavailable_apiservice\{name="v1\.fruit\.example\.com"\} 1$/m);
    const down = await client.get(APPLES);
    assert.deepEqual([down.code, down.text], [503, 'service unavailable\n']);
    assert.equal((await client.get(MAPS)).code, 200);
    await freshness(client, 'Stale');
    assert.equal((await discoveredFruit(client))?.versions[0]?.resources, undefined);
    await server.listen();
    await untilCondition(client, 'True', 'Passed');
    await freshness(client, 'Current');
    assert.equal(await etag(), before);
    assert.equal((await client.get(APPLES)).code, 200);
  });

  test('The condition Available names what is missing at the Service.', async () => {
    const service = '/api/v1/namespaces/default/services/fruit';
    const path = `${API_SERVICES}/${NAME}`;
    const point = (name: string, port: number) => mergePatch(client, path, { spec: { service: { name, port } } });
    await point('none', server.port);
    assert.equal(
      (await untilCondition(client, 'False', 'ServiceNotFound')).message,
      'service/none in "default" is not present',
    );
    const ports = [{ name: 'https', port: 443 }];
    await client.request('POST', service.replace('/fruit', ''), {
      body: { metadata: { name: 'plain' }, spec: { ports } },
    });
    await point('plain', 444);
    const { message } = await untilCondition(client, 'False', 'ServicePortError');
    assert.equal(message, 'service/plain in "default" is not listening on port 444');
    await point('plain', 443);
    await untilCondition(client, 'False', 'EndpointsNotFound');
    const slice = {
      metadata: { name: 'plain-1', labels: { 'kubernetes.io/service-name': 'plain' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: 6443 }],
    };
    const made = await client.request('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      body: slice,
    });
    assert.equal(made.code, 201, made.text);
    const missing = await untilCondition(client, 'False', 'MissingEndpoints');
    assert.equal(
      missing.message,
      'endpointslices for service/plain in "default" have no addresses with port name "https"',
    );
    const bundle = (caBundle: string) => mergePatch(client, path, { spec: { caBundle } });
    await bundle(readFileSync(system.tidegate.caFile).toString('base64'));
    await point('fruit', server.port);
    const failed = await untilCondition(client, 'False', 'FailedDiscoveryCheck');
    assert.match(failed.message, /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/);
    await bundle(server.caBundle);
    await untilCondition(client, 'True', 'Passed');
  });

  test('A terminating namespace waits while an aggregated server is down, and deletes its objects afterwards.', async () => {
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'orchard' } } });
    const maps = '/api/v1/namespaces/orchard/configmaps';
    await client.request('POST', maps, { body: configMap('a') });
    const apples = `${GROUP}/namespaces/orchard/apples`;
    assert.equal((await client.request('POST', apples, { body: { metadata: { name: 'green' } } })).code, 201);
    await server.stop();
    await client.get(APPLES);
    await untilCondition(client, 'False', 'FailedDiscoveryCheck');
    await client.request('DELETE', '/api/v1/namespaces/orchard');
    const { reason, message } = await until('the condition of the namespace', async () => {
      const { conditions = [] } = (await client.get('/api/v1/namespaces/orchard')).json.status;
      const found = (one: { type: string; status: string }) =>
        one.type === 'NamespaceDeletionDiscoveryFailure' && one.status === 'True';
      return conditions.find(found);
    });
    assert.equal(reason, 'DiscoveryFailed');
    assert.equal(
      message,
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: fruit.example.com/v1: stale GroupVersion discovery: fruit.example.com/v1',
    );
    assert.equal((await client.get(`${maps}/a`)).code, 404);
    await server.listen();
    await until(
      'the namespace to be deleted',
      async () => (await client.get('/api/v1/namespaces/orchard')).code === 404,
    );
    assert.equal(server.apples.get('orchard', 'green'), undefined);
  });

  test('A group is removed with its APIService.', async () => {
    assert.equal((await client.request('DELETE', `${API_SERVICES}/${NAME}`)).code, 200);
    await until('the group to be removed', async () => (await client.get(APPLES)).code === 404);
    assert.equal(await discoveredFruit(client), undefined);
    assert.equal((await client.get('/apis/fruit.example.com')).code, 404);
  });
});

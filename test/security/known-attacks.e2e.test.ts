import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { COMPLETE } from '../support/running-system.ts';
import { AttackTarget, SECRET_VALUE } from './attack-target.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** Superlinear processing of a large body would take much longer. */
const MAX_MS = 15_000;

/** Published vulnerabilities of Kubernetes and related API servers. */
describe('Known attacks', () => {
  let target: AttackTarget;
  before(async () => {
    target = await AttackTarget.open(COMPLETE);
    const everything = ['get', 'list', 'create', 'update', 'patch'];
    await target.allow([
      { verbs: everything, apiGroups: [''], resources: ['configmaps', 'services', 'services/proxy', 'pods'] },
      { verbs: ['*'], apiGroups: ['example.com'], resources: ['*'] },
    ]);
    await target.allow([{ verbs: ['list'], apiGroups: ['example.com'], resources: ['lists'] }], 'everywhere');
    const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await target.define('lists', 'Lists', preserving, 'Namespaced');
    await target.define('listsofsecrets', 'Listsofsecrets', preserving, 'Namespaced');
    await target.define('wides', 'Wides', preserving);
    const body = (kind: string, name: string) => ({
      apiVersion: 'example.com/v1',
      kind,
      metadata: { name },
      treasure: SECRET_VALUE,
    });
    await target.make('/apis/example.com/v1/wides', body('Wides', 'safe'));
    await target.make('/apis/example.com/v1/namespaces/kube-system/listsofsecrets', body('Listsofsecrets', 'safe'));
    await target.make('/apis/example.com/v1/namespaces/kube-system/lists', body('Lists', 'open'));
  });
  after(() => target?.close());

  test('CVE-2018-1002105: after a failed upgrade, no more requests are served on the connection.', async () => {
    const { hostname, port } = new URL(target.system.tidegate.server);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    let received = '';
    socket.on('data', (part) => {
      received += part;
    });
    const head = 'Host: x\r\nAuthorization: Bearer mallory-token\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    socket.write(`GET /api/v1/namespaces/own/services/none/proxy/ HTTP/1.1\r\n${head}\r\n`);
    socket.write(`GET /api/v1/namespaces/kube-system/secrets/safe HTTP/1.1\r\n${head}\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    assert.match(received, /^HTTP\/1\.1 [45]/);
    assert.equal(received.split('HTTP/1.1 ').length, 2, received);
  });

  test('CVE-2019-11247: a cluster-scoped kind is not served below a namespace, nor a namespaced object without one.', async () => {
    for (const path of ['namespaces/own/wides/safe', 'namespaces/own/wides', 'lists/open', 'listsofsecrets/safe']) {
      const { code, text } = await target.request('GET', `/apis/example.com/v1/${path}`);
      assert.ok(code === 404 || code === 403, `${path} ${text}`);
      assert.equal(text.includes(SECRET_VALUE), false);
    }
  });

  test('CVE-2022-3162: permission to list one kind does not show another kind whose name has the same prefix.', async () => {
    const own = await target.request('GET', '/apis/example.com/v1/lists');
    assert.deepEqual(
      own.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ['open'],
    );
    assert.equal((await target.request('GET', '/apis/example.com/v1/listsofsecrets')).code, 403);
  });

  test('CVE-2019-11253 and 11254: the cost of YAML with aliases or deep nesting is linear in its length.', async () => {
    const bomb = `a: &a ["x","x"]\n${'bcdefghij'
      .split('')
      .map((name, i) => `${name}: &${name} [*${'abcdefghi'[i]},*${'abcdefghi'[i]}]\n`)
      .join('')}`;
    const nested = `a: ${'['.repeat(50_000)}`;
    const wide = `a:\n${'  - {'.repeat(20_000)}`;
    for (const body of [bomb, nested, wide]) {
      for (const type of ['application/yaml', 'application/apply-patch+yaml']) {
        const begun = performance.now();
        const method = type.includes('apply') ? 'PATCH' : 'POST';
        const path = method === 'PATCH' ? `${MAPS}/x?fieldManager=m` : MAPS;
        const { code } = await target.request(method, path, { body, headers: { 'Content-Type': type } });
        assert.equal(code, 400);
        assert.ok(performance.now() - begun < MAX_MS);
      }
    }
  });

  test('CVE-2019-1002100: the number of operations of a JSON patch and the size of its result are limited.', async () => {
    await target.make(MAPS, { metadata: { name: 'patched' }, data: { a: 'x'.repeat(100_000) } });
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'x' }));
    const copies = Array.from({ length: 9000 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` }));
    for (const body of [many, copies]) {
      const begun = performance.now();
      const { code } = await target.request('PATCH', `${MAPS}/patched`, { body, headers: JSON_PATCH });
      assert.ok(code === 413 || code === 422 || code === 400, String(code));
      assert.ok(performance.now() - begun < MAX_MS);
    }
  });

  test('CVE-2020-8552: names chosen by clients do not become metric labels.', async () => {
    const size = async () => (await target.client.get('/metrics')).text.split('\n').length;
    await target.client.get('/apis/warm.example.com/v1/ups');
    const before = await size();
    for (let i = 0; i < 300; i++) {
      await target.request('GET', `/apis/g${i}.example.com/v${i}/kind${i}/x`);
      await target.requestRawPath(i % 2 === 0 ? 'PROPFIND' : 'MKCOL', `/made/up/${i}`);
      await target.request('GET', `${MAPS}/x${i}/sub${i}`, { headers: { 'User-Agent': `agent-${i}` } });
    }
    assert.ok((await size()) - before < 100, `${before} ${await size()}`);
  });

  test('CVE-2021-29923: IP addresses with leading zeros are invalid.', async () => {
    const service = (name: string, clusterIP: string) => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], clusterIP },
    });
    const services = '/api/v1/namespaces/own/services';
    const zeros = await target.client.request('POST', services, { body: service('zeros', '10.0.0.077') });
    assert.equal(zeros.code, 422, zeros.text);
    const range = { metadata: { name: 'zeros' }, spec: { cidrs: ['010.96.0.0/16'] } };
    const cidrs = await target.client.request('POST', '/apis/networking.k8s.io/v1/servicecidrs', { body: range });
    assert.equal(cidrs.code, 422, cidrs.text);
  });

  test('CVE-2025-5187: an owner reference can only be set by a user who may delete the object.', async () => {
    await target.make(MAPS, { metadata: { name: 'kept' } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: '00000000-0000-0000-0000-000000000000' },
    ];
    const body = { metadata: { ownerReferences } };
    const patched = await target.request('PATCH', `${MAPS}/kept`, { body, headers: MERGE });
    assert.equal(patched.code, 403, patched.text);
    assert.match(patched.json.message, /cannot set an ownerRef on a resource you can't delete/);
    const object = { ...(await target.client.get(`${MAPS}/kept`)).json };
    object.metadata.ownerReferences = ownerReferences;
    assert.equal((await target.request('PUT', `${MAPS}/kept`, { body: object })).code, 403);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', ownerReferences } };
    const headers = { 'Content-Type': 'application/apply-patch+yaml' };
    assert.equal((await target.request('PATCH', `${MAPS}/kept?fieldManager=m`, { body: applied, headers })).code, 403);
    assert.equal((await target.client.get(`${MAPS}/kept`)).code, 200);
  });

  test('CVE-2024-3177 and 2023-2728: the mountable secrets of a service account are enforced for every reference of a pod.', async () => {
    const name = 'narrow';
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const account = { metadata: { name, annotations }, secrets: [{ name: 'allowed' }] };
    const accounts = '/api/v1/namespaces/own/serviceaccounts';
    assert.equal((await target.client.request('POST', accounts, { body: account })).code, 201);
    const pod = (container: object, rest: object = {}) => ({
      metadata: { name: 'p' },
      spec: {
        serviceAccountName: name,
        automountServiceAccountToken: false,
        containers: [{ name: 'a', image: 'a', ...container }],
        ...rest,
      },
    });
    const from = { envFrom: [{ secretRef: { name: 'other' } }] };
    const key = { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] };
    const pods = [
      pod(from),
      pod(key),
      pod({}, { initContainers: [{ name: 'i', image: 'a', ...from }] }),
      pod({}, { initContainers: [{ name: 'i', image: 'a', ...key }] }),
      pod({}, { volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
      pod({}, { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'other' } }] } }] }),
      pod({}, { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'other' } } }] }),
      pod({}, { imagePullSecrets: [{ name: 'other' }] }),
    ];
    for (const body of pods) {
      const { code, text } = await target.client.request('POST', '/api/v1/namespaces/own/pods', { body });
      assert.equal(code, 403, `${JSON.stringify(body.spec)} ${text}`);
    }
    const path = '/api/v1/namespaces/own/pods/p';
    await target.make('/api/v1/namespaces/own/pods', pod({}));
    for (const one of [from, key]) {
      const ephemeral = { spec: { ephemeralContainers: [{ name: 'e', image: 'a', ...one }] } };
      const { code, text } = await target.client.request('PATCH', `${path}/ephemeralcontainers`, {
        body: ephemeral,
        headers: MERGE,
      });
      assert.equal(code, 403, text);
    }
  });

  test('CVE-2025-29922 and similar: every verb on an object is authorized, and every write is validated.', async () => {
    const secret = '/api/v1/namespaces/kube-system/secrets';
    const requests: ReadonlyArray<readonly [string, string, unknown?, Record<string, string>?]> = [
      ['GET', `${secret}/safe`],
      ['HEAD', `${secret}/safe`],
      ['GET', `${secret}?fieldSelector=metadata.name%3Dsafe`],
      ['GET', `${secret}?watch=1&fieldSelector=metadata.name%3Dsafe`],
      ['GET', '/api/v1/secrets'],
      ['GET', '/api/v1/watch/secrets'],
      ['PUT', `${secret}/safe`, { metadata: { name: 'safe' } }],
      ['PATCH', `${secret}/safe`, { data: null }, MERGE],
      [
        'PATCH',
        `${secret}/safe?fieldManager=m`,
        { apiVersion: 'v1', kind: 'Secret' },
        { 'Content-Type': 'application/apply-patch+yaml' },
      ],
      ['DELETE', `${secret}/safe`],
      ['DELETE', secret],
      ['POST', secret, { metadata: { name: 'another' } }],
      ['POST', `${secret}?dryRun=All`, { metadata: { name: 'another' } }],
    ];
    for (const [method, path, body, headers = {}] of requests) {
      const { code, text } = await target.request(method, path, { body, headers });
      assert.equal(code, 403, `${method} ${path}`);
      assert.equal(text.includes(Buffer.from(SECRET_VALUE).toString('base64')), false);
    }
    const own = `${MAPS}/validated`;
    await target.make(MAPS, { metadata: { name: 'validated' } });
    const bad = { metadata: { name: 'validated', labels: { a: 'not valid!' } } };
    assert.equal((await target.request('PUT', own, { body: bad })).code, 422);
    assert.equal((await target.request('PATCH', own, { body: bad, headers: MERGE })).code, 422);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...bad };
    const apply = { 'Content-Type': 'application/apply-patch+yaml' };
    assert.equal((await target.request('PATCH', `${own}?fieldManager=m`, { body: applied, headers: apply })).code, 422);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { COMPLETE } from '../support/running-system.ts';
import { Stage, TREASURE } from './stage.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** What grows with the power of a body's length takes longer than any machine has. */
const MOST_MS = 15_000;

/** What other API servers had to learn, each by a vulnerability of its own. */
describe('An attack that once worked elsewhere', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open(COMPLETE);
    const everything = ['get', 'list', 'create', 'update', 'patch'];
    await stage.allow([
      { verbs: everything, apiGroups: [''], resources: ['configmaps', 'services', 'services/proxy', 'pods'] },
      { verbs: ['*'], apiGroups: ['example.com'], resources: ['*'] },
    ]);
    await stage.allow([{ verbs: ['list'], apiGroups: ['example.com'], resources: ['lists'] }], 'everywhere');
    const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await stage.define('lists', 'Lists', preserving, 'Namespaced');
    await stage.define('listsofsecrets', 'Listsofsecrets', preserving, 'Namespaced');
    await stage.define('wides', 'Wides', preserving);
    const body = (kind: string, name: string) => ({
      apiVersion: 'example.com/v1',
      kind,
      metadata: { name },
      treasure: TREASURE,
    });
    await stage.make('/apis/example.com/v1/wides', body('Wides', 'safe'));
    await stage.make('/apis/example.com/v1/namespaces/kube-system/listsofsecrets', body('Listsofsecrets', 'safe'));
    await stage.make('/apis/example.com/v1/namespaces/kube-system/lists', body('Lists', 'open'));
  });
  after(() => stage?.close());

  test('CVE-2018-1002105: after an upgrade that failed nothing more goes over the connection', async () => {
    const { hostname, port } = new URL(stage.system.tidegate.server);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    let heard = '';
    socket.on('data', (part) => {
      heard += part;
    });
    const head = 'Host: x\r\nAuthorization: Bearer mallory-token\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    socket.write(`GET /api/v1/namespaces/own/services/none/proxy/ HTTP/1.1\r\n${head}\r\n`);
    socket.write(`GET /api/v1/namespaces/kube-system/secrets/safe HTTP/1.1\r\n${head}\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    assert.match(heard, /^HTTP\/1\.1 [45]/);
    assert.equal(heard.split('HTTP/1.1 ').length, 2, heard);
  });

  test('CVE-2019-11247: a kind of the whole cluster is not there below a namespace, nor the other way round', async () => {
    for (const path of ['namespaces/own/wides/safe', 'namespaces/own/wides', 'lists/open', 'listsofsecrets/safe']) {
      const { code, text } = await stage.ask('GET', `/apis/example.com/v1/${path}`);
      assert.ok(code === 404 || code === 403, `${path} ${text}`);
      assert.equal(text.includes(TREASURE), false);
    }
  });

  test('CVE-2022-3162: who may list one kind does not see another whose name begins like it', async () => {
    const own = await stage.ask('GET', '/apis/example.com/v1/lists');
    assert.deepEqual(
      own.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ['open'],
    );
    assert.equal((await stage.ask('GET', '/apis/example.com/v1/listsofsecrets')).code, 403);
  });

  test('CVE-2019-11253 and 11254: YAML that unfolds, or is nested, costs no more than it is long', async () => {
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
        const { code } = await stage.ask(method, path, { body, headers: { 'Content-Type': type } });
        assert.equal(code, 400);
        assert.ok(performance.now() - begun < MOST_MS);
      }
    }
  });

  test('CVE-2019-1002100: a JSON patch has a most of operations, and copies no more than an object may hold', async () => {
    await stage.make(MAPS, { metadata: { name: 'patched' }, data: { a: 'x'.repeat(100_000) } });
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'x' }));
    const copies = Array.from({ length: 9000 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` }));
    for (const body of [many, copies]) {
      const begun = performance.now();
      const { code } = await stage.ask('PATCH', `${MAPS}/patched`, { body, headers: JSON_PATCH });
      assert.ok(code === 413 || code === 422 || code === 400, String(code));
      assert.ok(performance.now() - begun < MOST_MS);
    }
  });

  test('CVE-2020-8552: what clients make up does not become labels of metrics', async () => {
    const size = async () => (await stage.client.get('/metrics')).text.split('\n').length;
    await stage.client.get('/apis/warm.example.com/v1/ups');
    const before = await size();
    for (let i = 0; i < 300; i++) {
      await stage.ask('GET', `/apis/g${i}.example.com/v${i}/kind${i}/x`);
      await stage.rawly(i % 2 === 0 ? 'PROPFIND' : 'MKCOL', `/made/up/${i}`);
      await stage.ask('GET', `${MAPS}/x${i}/sub${i}`, { headers: { 'User-Agent': `agent-${i}` } });
    }
    assert.ok((await size()) - before < 100, `${before} ${await size()}`);
  });

  test('CVE-2021-29923: addresses with leading zeros, which others read as octal, are no addresses', async () => {
    const service = (name: string, clusterIP: string) => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], clusterIP },
    });
    const services = '/api/v1/namespaces/own/services';
    const zeros = await stage.client.ask('POST', services, { body: service('zeros', '10.0.0.077') });
    assert.equal(zeros.code, 422, zeros.text);
    const range = { metadata: { name: 'zeros' }, spec: { cidrs: ['010.96.0.0/16'] } };
    const cidrs = await stage.client.ask('POST', '/apis/networking.k8s.io/v1/servicecidrs', { body: range });
    assert.equal(cidrs.code, 422, cidrs.text);
  });

  test('CVE-2025-5187: nobody has a thing deleted by giving it an owner that is not there', async () => {
    await stage.make(MAPS, { metadata: { name: 'kept' } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: '00000000-0000-0000-0000-000000000000' },
    ];
    const body = { metadata: { ownerReferences } };
    const patched = await stage.ask('PATCH', `${MAPS}/kept`, { body, headers: MERGE });
    assert.equal(patched.code, 403, patched.text);
    assert.match(patched.json.message, /cannot set an ownerRef on a resource you can't delete/);
    const object = { ...(await stage.client.get(`${MAPS}/kept`)).json };
    object.metadata.ownerReferences = ownerReferences;
    assert.equal((await stage.ask('PUT', `${MAPS}/kept`, { body: object })).code, 403);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', ownerReferences } };
    const headers = { 'Content-Type': 'application/apply-patch+yaml' };
    assert.equal((await stage.ask('PATCH', `${MAPS}/kept?fieldManager=m`, { body: applied, headers })).code, 403);
    assert.equal((await stage.client.get(`${MAPS}/kept`)).code, 200);
  });

  test('CVE-2024-3177 and 2023-2728: every way by which a pod may have a secret is looked at', async () => {
    const name = 'narrow';
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const account = { metadata: { name, annotations }, secrets: [{ name: 'allowed' }] };
    const accounts = '/api/v1/namespaces/own/serviceaccounts';
    assert.equal((await stage.client.ask('POST', accounts, { body: account })).code, 201);
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
      const { code, text } = await stage.client.ask('POST', '/api/v1/namespaces/own/pods', { body });
      assert.equal(code, 403, `${JSON.stringify(body.spec)} ${text}`);
    }
    const path = '/api/v1/namespaces/own/pods/p';
    await stage.make('/api/v1/namespaces/own/pods', pod({}));
    for (const one of [from, key]) {
      const ephemeral = { spec: { ephemeralContainers: [{ name: 'e', image: 'a', ...one }] } };
      const { code, text } = await stage.client.ask('PATCH', `${path}/ephemeralcontainers`, {
        body: ephemeral,
        headers: MERGE,
      });
      assert.equal(code, 403, text);
    }
  });

  test('CVE-2025-29922 and its like: every door to an object asks for rights, and judges what is written', async () => {
    const secret = '/api/v1/namespaces/kube-system/secrets';
    const doors: ReadonlyArray<readonly [string, string, unknown?, Record<string, string>?]> = [
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
    for (const [method, path, body, headers = {}] of doors) {
      const { code, text } = await stage.ask(method, path, { body, headers });
      assert.equal(code, 403, `${method} ${path}`);
      assert.equal(text.includes(Buffer.from(TREASURE).toString('base64')), false);
    }
    const own = `${MAPS}/judged`;
    await stage.make(MAPS, { metadata: { name: 'judged' } });
    const bad = { metadata: { name: 'judged', labels: { a: 'not valid!' } } };
    assert.equal((await stage.ask('PUT', own, { body: bad })).code, 422);
    assert.equal((await stage.ask('PATCH', own, { body: bad, headers: MERGE })).code, 422);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...bad };
    const apply = { 'Content-Type': 'application/apply-patch+yaml' };
    assert.equal((await stage.ask('PATCH', `${own}?fieldManager=m`, { body: applied, headers: apply })).code, 422);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AttackTarget, ForbiddenServer } from './attack-target.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('Forged targets of proxies and webhooks', () => {
  let target: AttackTarget;
  let forbidden: ForbiddenServer;
  before(async () => {
    [target, forbidden] = await Promise.all([AttackTarget.open(), new ForbiddenServer().listen('::')]);
  });
  after(async () => {
    forbidden?.close();
    await target?.close();
  });

  const assertNoConnection = (address: string) => assert.equal(forbidden.connections, 0, address);
  const status = (path: string, body: object) =>
    target.client.request('PATCH', `${path}/status`, { body: { status: body }, headers: MERGE });

  const addresses = [
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '0.1.2.3', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', 'fe80::1'],
    ...['::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::1', '::ffff:0:127.0.0.1', 'fd00:ec2::254'],
  ];
  const spellings = [
    'localhost',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    'LOCALHOST.',
    '[::1]',
    '①②⑦.0.0.1',
  ];

  test('Proxy requests to nodes are not forwarded to addresses of this machine.', async () => {
    for (const [i, address] of [...addresses, ...spellings].entries()) {
      const path = `/api/v1/nodes/n${i}`;
      await target.make('/api/v1/nodes', { metadata: { name: `n${i}` } });
      const daemonEndpoints = { kubeletEndpoint: { Port: forbidden.port } };
      for (const type of ['InternalIP', 'Hostname']) {
        await status(path, { addresses: [{ type, address }], daemonEndpoints });
        for (const suffix of ['', `:${forbidden.port}`]) {
          const reply = await target.client.get(`${path}${suffix}/proxy/`);
          assert.ok(reply.code >= 400, `${address} ${reply.text}`);
        }
      }
      assertNoConnection(address);
    }
  });

  test('Proxy requests to pods and Services are not forwarded to addresses of this machine.', async () => {
    const [pods, services] = ['/api/v1/namespaces/own/pods', '/api/v1/namespaces/own/services'];
    for (const [i, ip] of addresses.entries()) {
      await target.make(pods, { metadata: { name: `p${i}` }, spec: { containers: [{ name: 'a', image: 'a' }] } });
      await status(`${pods}/p${i}`, { phase: 'Running', podIP: ip, podIPs: [{ ip }] });
      assert.ok((await target.client.get(`${pods}/p${i}:${forbidden.port}/proxy/`)).code >= 400);
      assertNoConnection(ip);
    }
    const ports = [{ port: 80, targetPort: forbidden.port }];
    await target.make(services, { metadata: { name: 's' }, spec: { ports } });
    const slices = '/apis/discovery.k8s.io/v1/namespaces/own/endpointslices';
    for (const [i, address] of addresses.entries()) {
      const slice = {
        metadata: { name: `e${i}`, labels: { 'kubernetes.io/service-name': 's' } },
        addressType: address.includes(':') ? 'IPv6' : 'IPv4',
        ports: [{ port: forbidden.port }],
        endpoints: [{ addresses: [address] }],
      };
      // most of them are rejected by validation
      await target.client.request('POST', slices, { body: slice });
      const reply = await target.client.get(`${services}/s:80/proxy/`);
      assert.ok(reply.code >= 400, reply.text);
      assertNoConnection(address);
      await target.client.request('DELETE', `${slices}/e${i}`);
    }
    for (const externalName of ['localhost', '127.0.0.1', 'metadata.google.internal']) {
      await target.client.request('DELETE', `${services}/out`);
      await target.client.request('POST', services, {
        body: { metadata: { name: 'out' }, spec: { type: 'ExternalName', externalName } },
      });
      assert.ok((await target.client.get(`${services}/out:${forbidden.port}/proxy/`)).code >= 400);
      assertNoConnection(externalName);
    }
  });

  test('Proxy requests whose name contains a scheme, a port, a user or a line break are rejected.', async () => {
    const { port } = forbidden;
    const names = [
      `http:127.0.0.1:${port}`,
      `https:127.0.0.1:${port}`,
      `127.0.0.1:${port}`,
      `x@127.0.0.1:${port}`,
      `x%40127.0.0.1%3A${port}`,
      `http%3A%2F%2F127.0.0.1%3A${port}`,
      `x%0d%0aHost:%20127.0.0.1:${port}`,
      `x%23@127.0.0.1:${port}`,
      `%5B::1%5D:${port}`,
      `x%3F:${port}`,
      `..%2f127.0.0.1:${port}`,
    ];
    for (const name of names) {
      for (const place of ['nodes', 'namespaces/own/pods', 'namespaces/own/services']) {
        const { code, text } = await target.requestRawPath('GET', `/api/v1/${place}/${name}/proxy/`, {
          Authorization: `Bearer ${target.system.tidegate.token}`,
        });
        assert.ok(code >= 400, `${place} ${name}: ${text}`);
        assertNoConnection(name);
      }
    }
  });

  test('Webhooks at metadata and link-local addresses are not called.', async () => {
    const metadata = [
      ...['https://169.254.169.254/', 'https://[fe80::1]/', 'https://[::ffff:169.254.169.254]/'],
      ...['https://[2002:a9fe:a9fe::]/', 'https://[64:ff9b::169.254.169.254]/', 'https://100.100.100.200/'],
    ];
    for (const url of metadata) {
      const configuration = {
        metadata: { name: 'forged' },
        webhooks: [
          {
            name: 'a.b.c',
            clientConfig: { url },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 2,
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          },
        ],
      };
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      await target.make(path, configuration);
      const reply = await target.client.request('POST', '/api/v1/namespaces/own/configmaps', {
        body: { metadata: { name: 'a' } },
      });
      assert.equal(reply.code, 500);
      // an attempt would have ended with a timeout; the reason is only in the log
      assert.match(reply.json.message, /: the webhook could not be reached; the server's log tells why$/);
      await target.client.request('DELETE', `${path}/forged`);
    }
  });
});

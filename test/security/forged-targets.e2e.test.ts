import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Neighbour, Stage } from './stage.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('A target that is forged', () => {
  let stage: Stage;
  let neighbour: Neighbour;
  before(async () => {
    [stage, neighbour] = await Promise.all([Stage.open(), new Neighbour().listen('::')]);
  });
  after(async () => {
    neighbour?.close();
    await stage?.close();
  });

  const untouched = (told: string) => assert.equal(neighbour.visits, 0, told);
  const status = (path: string, body: object) =>
    stage.client.ask('PATCH', `${path}/status`, { body: { status: body }, headers: MERGE });

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

  test('makes no node lead to what listens beside this server', async () => {
    for (const [i, address] of [...addresses, ...spellings].entries()) {
      const path = `/api/v1/nodes/n${i}`;
      await stage.make('/api/v1/nodes', { metadata: { name: `n${i}` } });
      const daemonEndpoints = { kubeletEndpoint: { Port: neighbour.port } };
      for (const type of ['InternalIP', 'Hostname']) {
        await status(path, { addresses: [{ type, address }], daemonEndpoints });
        for (const way of ['', `:${neighbour.port}`]) {
          const reply = await stage.client.get(`${path}${way}/proxy/`);
          assert.ok(reply.code >= 400, `${address} ${reply.text}`);
        }
      }
      untouched(address);
    }
  });

  test('makes no pod and no service lead there', async () => {
    const [pods, services] = ['/api/v1/namespaces/own/pods', '/api/v1/namespaces/own/services'];
    for (const [i, ip] of addresses.entries()) {
      await stage.make(pods, { metadata: { name: `p${i}` }, spec: { containers: [{ name: 'a', image: 'a' }] } });
      await status(`${pods}/p${i}`, { phase: 'Running', podIP: ip, podIPs: [{ ip }] });
      assert.ok((await stage.client.get(`${pods}/p${i}:${neighbour.port}/proxy/`)).code >= 400);
      untouched(ip);
    }
    const ports = [{ port: 80, targetPort: neighbour.port }];
    await stage.make(services, { metadata: { name: 's' }, spec: { ports } });
    const slices = '/apis/discovery.k8s.io/v1/namespaces/own/endpointslices';
    for (const [i, address] of addresses.entries()) {
      const slice = {
        metadata: { name: `e${i}`, labels: { 'kubernetes.io/service-name': 's' } },
        addressType: address.includes(':') ? 'IPv6' : 'IPv4',
        ports: [{ port: neighbour.port }],
        endpoints: [{ addresses: [address] }],
      };
      // most of them cannot even be written
      await stage.client.ask('POST', slices, { body: slice });
      const reply = await stage.client.get(`${services}/s:80/proxy/`);
      assert.ok(reply.code >= 400, reply.text);
      untouched(address);
      await stage.client.ask('DELETE', `${slices}/e${i}`);
    }
    for (const externalName of ['localhost', '127.0.0.1', 'metadata.google.internal']) {
      await stage.client.ask('DELETE', `${services}/out`);
      await stage.client.ask('POST', services, {
        body: { metadata: { name: 'out' }, spec: { type: 'ExternalName', externalName } },
      });
      assert.ok((await stage.client.get(`${services}/out:${neighbour.port}/proxy/`)).code >= 400);
      untouched(externalName);
    }
  });

  test('is no name with a scheme, a port, a user or a line in it', async () => {
    const { port } = neighbour;
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
        const { code, text } = await stage.rawly('GET', `/api/v1/${place}/${name}/proxy/`, {
          Authorization: `Bearer ${stage.system.tidegate.token}`,
        });
        assert.ok(code >= 400, `${place} ${name}: ${text}`);
        untouched(name);
      }
    }
  });

  test('leads no webhook, converter or server behind the API to the metadata of the machine', async () => {
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
      await stage.make(path, configuration);
      const reply = await stage.client.ask('POST', '/api/v1/namespaces/own/configmaps', {
        body: { metadata: { name: 'a' } },
      });
      assert.equal(reply.code, 500);
      // it was not even tried: the deadline would have been told. Why stands in the log alone
      assert.match(reply.json.message, /: the webhook could not be reached; the server's log tells why$/);
      await stage.client.ask('DELETE', `${path}/forged`);
    }
  });
});

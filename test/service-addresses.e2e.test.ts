import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { Client, type Reply } from './support/client.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const ports = [{ port: 80 }];

interface Shown {
  clusterIP: string;
  clusterIPs: string[];
  ports: Array<{ nodePort: number }>;
}

async function started(env: Record<string, string>, workers = 1): Promise<{ tidegate: TestTidegate; client: Client }> {
  const tidegate = await startTidegate({ env, args: [`--workers=${workers}`] });
  const client = new Client(tidegate);
  await until('the Service kubernetes', async () => (await client.get(`${SERVICES}/kubernetes`)).code === 200);
  return { tidegate, client };
}

function creator(client: Client): (name: string, spec: object, query?: string) => Promise<Reply> {
  return (name, spec, query = '') => client.request('POST', SERVICES + query, { body: { metadata: { name }, spec } });
}

// requested addresses are in the part of the range that is allocated last, so no other test has them by chance
describe('Addresses of Services in a small range with two gateways', () => {
  let tidegate: TestTidegate;
  let client: Client;
  let create: ReturnType<typeof creator>;
  const made = async (name: string, spec: object) => {
    const reply = await create(name, spec);
    assert.equal(reply.code, 201, reply.text);
    return reply.json.spec;
  };
  const change = (name: string, spec: object, query = '') =>
    client.request('PATCH', `${SERVICES}/${name}${query}`, { body: { spec }, headers: MERGE });

  before(async () => {
    const env = { TIDEGATE_SERVICE_CLUSTER_IP_RANGE: '10.5.0.0/26', TIDEGATE_SERVICE_NODE_PORT_RANGE: '31000-31039' };
    ({ tidegate, client } = await started(env, 2));
    create = creator(client);
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  test('The Service kubernetes has the first address of the range.', async () => {
    assert.equal((await client.get(`${SERVICES}/kubernetes`)).json.spec.clusterIP, '10.5.0.1');
  });

  test('A Service gets an address, and its dependent fields are set.', async () => {
    const { clusterIP, clusterIPs, ...rest } = await made('plain', { ports });
    assert.match(clusterIP, /^10\.5\.0\.\d+$/);
    assert.deepEqual(clusterIPs, [clusterIP]);
    assert.deepEqual(rest, {
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
    });
  });

  test('Headless Services and external names have no address.', async () => {
    const headless = await made('headless', { clusterIP: 'None', ports, selector: { app: 'a' } });
    assert.deepEqual(
      [headless.clusterIPs, headless.ipFamilyPolicy, headless.ipFamilies],
      [['None'], 'SingleStack', ['IPv4']],
    );
    const alone = await made('selectorless', { clusterIP: 'None', ports });
    assert.deepEqual([alone.ipFamilyPolicy, alone.ipFamilies], ['RequireDualStack', ['IPv4', 'IPv6']]);
    const external = await made('external', { type: 'ExternalName', externalName: 'example.com' });
    assert.deepEqual(external, { type: 'ExternalName', externalName: 'example.com', sessionAffinity: 'None' });
  });

  test('A requested address is allocated, rejected while it is in use, and free after the deletion.', async () => {
    assert.equal((await made('asking', { clusterIP: '10.5.0.7', ports })).clusterIP, '10.5.0.7');
    for (const query of ['', '?dryRun=All']) {
      const refused = await create('late', { clusterIP: '10.5.0.7', ports }, query);
      assert.equal(refused.code, 422);
      assert.equal(
        refused.json.message,
        'Service "late" is invalid: spec.clusterIPs: Invalid value: ["10.5.0.7"]: failed to allocate IP 10.5.0.7: provided IP is already allocated',
      );
    }
    assert.equal((await client.request('DELETE', `${SERVICES}/asking`)).code, 200);
    await made('late', { clusterIP: '10.5.0.7', ports });
  });

  test('An address outside of the range is rejected.', async () => {
    const message = async (clusterIP: string) => (await create('outside', { clusterIP, ports })).json.message;
    assert.match(
      await message('192.168.1.1'),
      /failed to allocate IP 192.168.1.1: the provided network does not match/,
    );
    assert.match(
      await message('10.5.0.63'),
      /the provided IP \(10.5.0.63\) is not in the valid range. The range of valid IPs is 10.5.0.0\/26$/,
    );
    assert.match(
      await message('nonsense'),
      /spec.clusterIPs\[0\]: Invalid value: "nonsense": must be a valid IP address/,
    );
    assert.match(
      (await create('outside', { ports, ipFamilyPolicy: 'RequireDualStack' })).json.message,
      /spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services/,
    );
  });

  test('Node ports are allocated, requested and rejected in the same way.', async () => {
    const drawn = await made('drawn', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, protocol: 'TCP' },
        { name: 'b', port: 53, protocol: 'UDP' },
      ],
    });
    const [first, second] = drawn.ports.map(({ nodePort }: { nodePort: number }) => nodePort);
    assert.ok(first >= 31000 && first <= 31039, String(first));
    assert.equal(second, first);
    assert.equal(
      (await made('named', { type: 'NodePort', ports: [{ port: 80, nodePort: 31008 }] })).ports[0].nodePort,
      31008,
    );
    const message = async (nodePort: number) =>
      (await create('other', { type: 'NodePort', ports: [{ port: 80, nodePort }] })).json.message;
    const field = 'Service "other" is invalid: spec.ports[0].nodePort: Invalid value: ';
    assert.equal(await message(31008), `${field}31008: provided port is already allocated`);
    assert.equal(
      await message(80),
      `${field}80: provided port is not in the valid range. The range of valid ports is 31000-31039`,
    );
    const local = await made('local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports });
    assert.ok(local.healthCheckNodePort >= 31000 && local.healthCheckNodePort !== local.ports[0].nodePort);
  });

  test('An update keeps addresses and ports, even if it omits them.', async () => {
    const before = await made('kept', { type: 'NodePort', ports: [{ name: 'web', port: 80 }] });
    const { json: object } = await client.get(`${SERVICES}/kept`);
    const body = {
      metadata: { name: 'kept', resourceVersion: object.metadata.resourceVersion },
      spec: { type: 'NodePort', ports: [{ name: 'web', port: 81 }] },
    };
    const { json: put } = await client.request('PUT', `${SERVICES}/kept`, { body });
    assert.deepEqual([put.spec.clusterIPs, put.spec.ports[0].nodePort], [before.clusterIPs, before.ports[0].nodePort]);
    const moved = await change('kept', { clusterIP: '10.5.0.9', clusterIPs: ['10.5.0.9'] });
    assert.equal(moved.code, 422);
    assert.match(moved.json.message, /spec.clusterIPs\[0\]: Invalid value: \["10.5.0.9"\]: may not change once set/);
  });

  test('A changed type releases addresses and ports that the new type does not use.', async () => {
    const {
      clusterIP,
      ports: [{ nodePort }],
    } = await made('turning', { type: 'NodePort', ports });
    const inner = (await change('turning', { type: 'ClusterIP' })).json.spec;
    assert.deepEqual(
      [inner.clusterIP, inner.ports[0].nodePort, inner.externalTrafficPolicy],
      [clusterIP, undefined, undefined],
    );
    await made('heir', { type: 'NodePort', ports: [{ port: 80, nodePort }] });
    const named = (await change('turning', { type: 'ExternalName', externalName: 'example.com' })).json.spec;
    assert.deepEqual([named.clusterIP, named.clusterIPs, named.ipFamilies], [undefined, undefined, undefined]);
    await made('heiress', { clusterIP, ports });
    assert.match((await change('turning', { type: 'ClusterIP', externalName: null })).json.spec.clusterIP, /^10\.5\./);
  });

  test('Endpoints are deleted when their Service is removed, not before.', async () => {
    const endpoints = '/api/v1/namespaces/default/endpoints';
    const metadata = { name: 'leading', finalizers: ['example.com/held'] };
    await client.request('POST', SERVICES, { body: { metadata, spec: { ports } } });
    await client.request('POST', endpoints, { body: { metadata: { name: 'leading' } } });
    await client.request('POST', endpoints, { body: { metadata: { name: 'alone' } } });
    const found = async (name: string) => (await client.get(`${endpoints}/${name}`)).code;
    await client.request('DELETE', `${SERVICES}/leading?dryRun=All`);
    await client.request('DELETE', `${SERVICES}/leading`);
    assert.equal(await found('leading'), 200);
    const body = { metadata: { finalizers: null } };
    assert.equal((await client.request('PATCH', `${SERVICES}/leading`, { body, headers: MERGE })).code, 200);
    assert.deepEqual([await found('leading'), await found('alone')], [404, 200]);
    await made('direct', { ports });
    await client.request('POST', endpoints, { body: { metadata: { name: 'direct' } } });
    await client.request('DELETE', `${SERVICES}/direct`);
    assert.equal(await found('direct'), 404);
  });

  test('A dry run allocates nothing.', async () => {
    const dry = await create(
      'dry',
      { clusterIP: '10.5.0.12', type: 'NodePort', ports: [{ port: 80, nodePort: 31003 }] },
      '?dryRun=All',
    );
    assert.equal(dry.code, 201, dry.text);
    assert.equal(dry.json.spec.clusterIP, '10.5.0.12');
    await made('wet', { clusterIP: '10.5.0.12', type: 'NodePort', ports: [{ port: 80, nodePort: 31003 }] });
  });

  const removeAll = async () => {
    const items: ReadonlyArray<{ metadata: { name: string } }> = (await client.get(SERVICES)).json.items;
    const mine = items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kubernetes');
    await Promise.all(mine.map((name) => client.request('DELETE', `${SERVICES}/${name}`)));
  };

  test('Concurrent Services get different addresses, and a creation in an exhausted range is rejected.', async () => {
    await removeAll();
    // each client has its own connection to one of the gateways
    const clients = Array.from({ length: 16 }, () => new Client(tidegate));
    try {
      const requests = (round: number) =>
        clients.map((one, i) => creator(one)(`r${round}-${i}`, { type: 'NodePort', ports }));
      for (const round of [1, 2, 3]) {
        const replies = await Promise.all(requests(round));
        const good = replies.filter(({ code }) => code === 201).length;
        assert.equal(good, round < 3 ? 16 : 8, replies.map(({ code, text }) => `${code} ${text}`).join('\n'));
      }
      const full = await creator(client)('full', { type: 'NodePort', ports });
      assert.deepEqual(
        [full.code, full.json.message],
        [500, 'Internal error occurred: failed to allocate a nodePort: range is full'],
      );
      // 62 addresses: 40 with node ports, and one of the Service kubernetes
      const rest = await Promise.all(
        Array.from({ length: 24 }, (_, i) => creator(clients[i % 16] as Client)(`plain-${i}`, { ports })),
      );
      assert.equal(rest.filter(({ code }) => code === 201).length, 21);
      const refused = rest.find(({ code }) => code !== 201);
      assert.deepEqual(
        [refused?.code, refused?.json.message],
        [500, 'Internal error occurred: failed to allocate a serviceIP: range is full'],
      );
    } finally {
      for (const one of clients) one.close();
    }
    const all: Shown[] = (await client.get(SERVICES)).json.items.map((item: { spec: Shown }) => item.spec);
    assert.equal(new Set(all.map(({ clusterIP }) => clusterIP)).size, 62);
    const nodePorts = all.flatMap((spec) => spec.ports.flatMap(({ nodePort }) => nodePort ?? []));
    assert.deepEqual(
      nodePorts.sort(),
      Array.from({ length: 40 }, (_, i) => 31000 + i),
    );
  });

  test('Repeated deletion and creation leaks no addresses.', async () => {
    await removeAll();
    for (let round = 0; round < 3; round++) {
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, i) => creator(client)(`again-${i}`, { type: 'NodePort', ports })),
      );
      assert.deepEqual(
        made.map(({ code }) => code),
        Array(20).fill(201),
      );
      await Promise.all(Array.from({ length: 20 }, (_, i) => client.request('DELETE', `${SERVICES}/again-${i}`)));
    }
    assert.equal(
      (
        await creator(client)('whole', {
          type: 'NodePort',
          ports: Array.from({ length: 40 }, (_, i) => ({ name: `p${i}`, port: 1000 + i })),
        })
      ).code,
      201,
    );
  });
});

describe('Dual-stack addresses of Services', () => {
  test('A dual-stack Service gets an address of each family and can release the second.', async () => {
    const { tidegate, client } = await started({ TIDEGATE_SERVICE_CLUSTER_IP_RANGE: '10.7.0.0/24,fd00:7::/112' });
    try {
      const { spec } = (await creator(client)('dual', { ports, ipFamilyPolicy: 'PreferDualStack' })).json;
      assert.deepEqual(spec.ipFamilies, ['IPv4', 'IPv6']);
      assert.match(spec.clusterIPs.join(), /^10\.7\.0\.\d+,fd00:7::[0-9a-f]+$/);
      const taken = await creator(client)('again', {
        ports,
        clusterIP: spec.clusterIPs[1],
        clusterIPs: [spec.clusterIPs[1]],
      });
      assert.match(taken.json.message, /provided IP is already allocated$/);
      const body = { spec: { ipFamilyPolicy: 'SingleStack' } };
      const { json: single } = await client.request('PATCH', `${SERVICES}/dual`, { body, headers: MERGE });
      assert.deepEqual([single.spec.clusterIPs, single.spec.ipFamilies], [[spec.clusterIPs[0]], ['IPv4']]);
      assert.equal(
        (await creator(client)('again', { ports, clusterIPs: [spec.clusterIPs[1]], clusterIP: spec.clusterIPs[1] }))
          .code,
        201,
      );
    } finally {
      client.close();
      await tidegate.stop();
    }
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import type { Client, Reply } from './support/client.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('What a cluster has without anybody having made it', () => {
  let tidegate: TestTidegate;
  let client: Client;
  const get = (path: string) => client.ask('GET', path);
  const there = (path: string) =>
    until(path, async () => {
      const reply = await get(path);
      return reply.code === 200 ? reply : undefined;
    });
  const inNamespace = (name: string) => `/api/v1/namespaces/${name}`;
  const makeNamespace = async (name: string) => {
    const reply = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    assert.equal(reply.code, 201, reply.text);
  };

  before(async () => {
    ({ tidegate, client } = await sharedSystem(COMPLETE));
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  test('every health check passes, by the names of kube-apiserver that probes and conformance tests ask for', async () => {
    const names = [
      'autoregister-completion',
      'etcd',
      ...[
        'apiservice-openapi-controller',
        'apiservice-status-local-available-controller',
        'apiservice-status-remote-available-controller',
        'bootstrap-controller',
        'generic-apiserver-start-informers',
        'kube-apiserver-autoregistration',
        'rbac/bootstrap-roles',
        'scheduling/bootstrap-system-priority-classes',
        'start-apiextensions-controllers',
        'start-apiextensions-informers',
        'start-cluster-authentication-info-controller',
        'start-kube-aggregator-informers',
        'start-service-ip-repair-controllers',
        'start-system-namespaces-controller',
      ].map((name) => `poststarthook/${name}`),
    ];
    for (const endpoint of ['healthz', 'livez', 'readyz']) {
      await until(`all of ${endpoint} to pass`, async () => !(await get(`/${endpoint}?verbose`)).text.includes('[-]'));
      const { text } = await get(`/${endpoint}?verbose`);
      for (const name of names) assert.ok(text.includes(`[+]${name} ok\n`), `${endpoint}: ${name}`);
      assert.equal((await get(`/${endpoint}?exclude=etcd`)).code, 200);
    }
  });

  test('a status of the parts behind a gateway, in every form, and nothing else to do with it', async () => {
    const path = '/api/v1/componentstatuses';
    const { json, headers } = await get(path);
    const healthy = [{ type: 'Healthy', status: 'True', message: 'ok' }];
    assert.deepEqual(
      json.items.map(({ metadata, conditions }: { metadata: { name: string }; conditions: unknown }) => [
        metadata.name,
        conditions,
      ]),
      [
        ['store', healthy],
        ['watch', healthy],
      ],
    );
    assert.equal(headers.warning, '299 - "v1 ComponentStatus is deprecated in v1.19+"');
    const table = await client.get(path, { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    assert.deepEqual(
      table.json.rows.map(({ cells }: { cells: string[] }) => cells),
      [
        ['store', 'Healthy', 'ok', ''],
        ['watch', 'Healthy', 'ok', ''],
      ],
    );
    const one = await client.get(`${path}/store`, { Accept: 'application/yaml' });
    assert.match(one.text, /^kind: ComponentStatus$/m);
    assert.equal((await get(`${path}/none`)).json.message, 'componentstatuses "none" not found');
    assert.equal((await get(`${path}?fieldSelector=metadata.name%3Dwatch`)).json.items.length, 1);
    assert.equal((await get(`${path}?watch=1`)).code, 405);
    assert.equal((await client.ask('DELETE', `${path}/store`)).code, 405);
  });

  test('levels and flows of flow control, as kube-apiserver suggests them', async () => {
    const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await there(`${flow}/flowschemas/catch-all`);
    const names = async (resource: string) =>
      (await get(`${flow}/${resource}`)).json.items.map(
        ({ metadata }: { metadata: { name: string } }) => metadata.name,
      );
    assert.deepEqual(await names('prioritylevelconfigurations'), [
      'catch-all',
      'exempt',
      'global-default',
      'leader-election',
      'node-high',
      'system',
      'workload-high',
      'workload-low',
    ]);
    assert.deepEqual(await names('flowschemas'), [
      'catch-all',
      'exempt',
      'global-default',
      'kube-controller-manager',
      'kube-scheduler',
      'kube-system-service-accounts',
      'probes',
      'service-accounts',
      'system-leader-election',
      'system-node-high',
      'system-nodes',
    ]);
  });

  test('the authorities of clients, where servers behind the API look for them, put right when they are changed', async () => {
    const path = `${inNamespace('kube-system')}/configmaps/extension-apiserver-authentication`;
    const { json } = await there(path);
    const { 'requestheader-client-ca-file': frontProxyCa, ...told } = json.data;
    assert.match(frontProxyCa, /^-----BEGIN CERTIFICATE-----/);
    assert.deepEqual(told, {
      'client-ca-file': readFileSync(tidegate.caFile, 'utf8'),
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
    await client.ask('DELETE', path);
    const { json: again } = await there(path);
    assert.deepEqual(again.data, json.data);
  });

  test('four namespaces, priority classes, and the mandatory objects of flow control', async () => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) await there(inNamespace(name));
    const values: unknown[] = [];
    for (const name of ['system-node-critical', 'system-cluster-critical'])
      values.push((await there(`/apis/scheduling.k8s.io/v1/priorityclasses/${name}`)).json.value);
    assert.deepEqual(values, [2_000_001_000, 2_000_000_000]);
    for (const resource of ['flowschemas', 'prioritylevelconfigurations'])
      for (const name of ['exempt', 'catch-all'])
        await there(`/apis/flowcontrol.apiserver.k8s.io/v1/${resource}/${name}`);
  });

  test('the range from which Services get addresses, which is ready', async () => {
    const path = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
    await until('it to be ready', async () => (await get(path)).json.status?.conditions !== undefined);
    const { spec, status } = (await get(path)).json;
    assert.deepEqual(spec, { cidrs: ['10.0.0.0/16'] });
    assert.deepEqual([status.conditions[0].type, status.conditions[0].status], ['Ready', 'True']);
  });

  test('the Service kubernetes leads to where clients reach the gateway', async () => {
    const port = Number(new URL(tidegate.server).port);
    const { json: service } = await there(`${inNamespace('default')}/services/kubernetes`);
    assert.deepEqual(service.metadata.labels, { component: 'apiserver', provider: 'kubernetes' });
    assert.deepEqual(service.spec.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }]);
    const { json: endpoints } = await there(`${inNamespace('default')}/endpoints/kubernetes`);
    const [{ addresses, ports }] = endpoints.subsets;
    assert.ok(isIPv4(addresses[0].ip) && !addresses[0].ip.startsWith('127.'), addresses[0].ip);
    assert.deepEqual(ports, [{ name: 'https', port, protocol: 'TCP' }]);
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const { json: slice } = await there(`${slices}/kubernetes`);
    assert.deepEqual(slice.endpoints, [{ addresses: [addresses[0].ip], conditions: { ready: true } }]);
    assert.equal(slice.metadata.labels['kubernetes.io/service-name'], 'kubernetes');
    await client.ask('DELETE', `${slices}/kubernetes`);
    await until('it to be made again', async () => {
      const { code, json } = await get(`${slices}/kubernetes`);
      return code === 200 && json.metadata.uid !== slice.metadata.uid;
    });
  });

  test('in a new namespace, soon: the ServiceAccount default, and the authorities of the gateway', async () => {
    await makeNamespace('fresh');
    await there(`${inNamespace('fresh')}/serviceaccounts/default`);
    const { json } = await there(`${inNamespace('fresh')}/configmaps/kube-root-ca.crt`);
    assert.equal(json.data['ca.crt'], readFileSync(tidegate.caFile, 'utf8'));
  });

  test('what is deleted of it is made again, and what is changed is put back', async () => {
    await makeNamespace('mended');
    const account = `${inNamespace('mended')}/serviceaccounts/default`;
    const configMap = `${inNamespace('mended')}/configmaps/kube-root-ca.crt`;
    const first = (await there(account)).json.metadata.uid;
    await there(configMap);
    assert.equal((await client.ask('DELETE', account)).code, 200);
    await until('the account to be made again', async () => {
      const { code, json } = await get(account);
      return code === 200 && json.metadata.uid !== first;
    });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = { data: { 'ca.crt': 'of somebody else', more: 'text' } };
    assert.equal((await client.ask('PATCH', configMap, { body, headers })).code, 200);
    const right = { 'ca.crt': readFileSync(tidegate.caFile, 'utf8') };
    await until('it to be put back', async () => {
      const { data } = (await get(configMap)).json;
      return JSON.stringify(data) === JSON.stringify(right);
    });
  });

  test('it ends with its namespace', async () => {
    await makeNamespace('ending');
    await there(`${inNamespace('ending')}/serviceaccounts/default`);
    await client.ask('DELETE', inNamespace('ending'));
    await until('the namespace to be gone', async () => (await get(inNamespace('ending'))).code === 404);
    const left: Reply[] = [];
    for (const resource of ['serviceaccounts', 'configmaps'])
      left.push(await get(`${inNamespace('ending')}/${resource}`));
    assert.deepEqual(
      left.map(({ json }) => json.items),
      [[], []],
    );
  });
});

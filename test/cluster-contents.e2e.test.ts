import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import type { Client, Reply } from './support/client.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Default objects of a cluster', () => {
  let tidegate: TestTidegate;
  let client: Client;
  const get = (path: string) => client.request('GET', path);
  const untilExists = (path: string) =>
    until(path, async () => {
      const reply = await get(path);
      return reply.code === 200 ? reply : undefined;
    });
  const inNamespace = (name: string) => `/api/v1/namespaces/${name}`;
  const createNamespace = async (name: string) => {
    const reply = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    assert.equal(reply.code, 201, reply.text);
  };

  before(async () => {
    ({ tidegate, client } = await sharedSystem(COMPLETE));
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  test('Every health check passes under the name that kube-apiserver uses.', async () => {
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

  test('componentstatuses can be read in every format, but not watched or deleted.', async () => {
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
    assert.equal((await client.request('DELETE', `${path}/store`)).code, 405);
  });

  test('The suggested priority levels and flow schemas of kube-apiserver exist.', async () => {
    const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await untilExists(`${flow}/flowschemas/catch-all`);
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

  test('The client authorities are published for aggregated servers and restored when deleted.', async () => {
    const path = `${inNamespace('kube-system')}/configmaps/extension-apiserver-authentication`;
    const { json } = await untilExists(path);
    const { 'requestheader-client-ca-file': frontProxyCa, ...others } = json.data;
    assert.match(frontProxyCa, /^-----BEGIN CERTIFICATE-----/);
    assert.deepEqual(others, {
      'client-ca-file': readFileSync(tidegate.caFile, 'utf8'),
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
    await client.request('DELETE', path);
    const { json: again } = await untilExists(path);
    assert.deepEqual(again.data, json.data);
  });

  test('Four namespaces, two priority classes and the mandatory objects of flow control exist.', async () => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      await untilExists(inNamespace(name));
    const values: unknown[] = [];
    for (const name of ['system-node-critical', 'system-cluster-critical'])
      values.push((await untilExists(`/apis/scheduling.k8s.io/v1/priorityclasses/${name}`)).json.value);
    assert.deepEqual(values, [2_000_001_000, 2_000_000_000]);
    for (const resource of ['flowschemas', 'prioritylevelconfigurations'])
      for (const name of ['exempt', 'catch-all'])
        await untilExists(`/apis/flowcontrol.apiserver.k8s.io/v1/${resource}/${name}`);
  });

  test('The ServiceCIDR kubernetes exists and becomes ready.', async () => {
    const path = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
    await until('the range to be ready', async () => (await get(path)).json.status?.conditions !== undefined);
    const { spec, status } = (await get(path)).json;
    assert.deepEqual(spec, { cidrs: ['10.0.0.0/16'] });
    assert.deepEqual([status.conditions[0].type, status.conditions[0].status], ['Ready', 'True']);
  });

  test('The Service kubernetes has the address of the gateway as its endpoint.', async () => {
    const port = Number(new URL(tidegate.server).port);
    const { json: service } = await untilExists(`${inNamespace('default')}/services/kubernetes`);
    assert.deepEqual(service.metadata.labels, { component: 'apiserver', provider: 'kubernetes' });
    assert.deepEqual(service.spec.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }]);
    const { json: endpoints } = await untilExists(`${inNamespace('default')}/endpoints/kubernetes`);
    const [{ addresses, ports }] = endpoints.subsets;
    assert.ok(isIPv4(addresses[0].ip) && !addresses[0].ip.startsWith('127.'), addresses[0].ip);
    assert.deepEqual(ports, [{ name: 'https', port, protocol: 'TCP' }]);
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const { json: slice } = await untilExists(`${slices}/kubernetes`);
    assert.deepEqual(slice.endpoints, [{ addresses: [addresses[0].ip], conditions: { ready: true } }]);
    assert.equal(slice.metadata.labels['kubernetes.io/service-name'], 'kubernetes');
    await client.request('DELETE', `${slices}/kubernetes`);
    await until('the slice to be created again', async () => {
      const { code, json } = await get(`${slices}/kubernetes`);
      return code === 200 && json.metadata.uid !== slice.metadata.uid;
    });
  });

  test('A new namespace gets the ServiceAccount default and the ConfigMap kube-root-ca.crt.', async () => {
    await createNamespace('fresh');
    await untilExists(`${inNamespace('fresh')}/serviceaccounts/default`);
    const { json } = await untilExists(`${inNamespace('fresh')}/configmaps/kube-root-ca.crt`);
    assert.equal(json.data['ca.crt'], readFileSync(tidegate.caFile, 'utf8'));
  });

  test('Deleted namespace defaults are created again, and changed ones restored.', async () => {
    await createNamespace('mended');
    const account = `${inNamespace('mended')}/serviceaccounts/default`;
    const configMap = `${inNamespace('mended')}/configmaps/kube-root-ca.crt`;
    const first = (await untilExists(account)).json.metadata.uid;
    await untilExists(configMap);
    assert.equal((await client.request('DELETE', account)).code, 200);
    await until('the account to be created again', async () => {
      const { code, json } = await get(account);
      return code === 200 && json.metadata.uid !== first;
    });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = { data: { 'ca.crt': 'another authority', more: 'text' } };
    assert.equal((await client.request('PATCH', configMap, { body, headers })).code, 200);
    const right = { 'ca.crt': readFileSync(tidegate.caFile, 'utf8') };
    await until('the ConfigMap to be restored', async () => {
      const { data } = (await get(configMap)).json;
      return JSON.stringify(data) === JSON.stringify(right);
    });
  });

  test('Namespace defaults are deleted with their namespace.', async () => {
    await createNamespace('ending');
    await untilExists(`${inNamespace('ending')}/serviceaccounts/default`);
    await client.request('DELETE', inNamespace('ending'));
    await until('the namespace to be gone', async () => (await get(inNamespace('ending'))).code === 404);
    const remaining: Reply[] = [];
    for (const resource of ['serviceaccounts', 'configmaps'])
      remaining.push(await get(`${inNamespace('ending')}/${resource}`));
    assert.deepEqual(
      remaining.map(({ json }) => json.items),
      [[], []],
    );
  });
});

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type Family, parseExposition } from './support/exposition.ts';
import { OBSERVED } from './support/observed.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const PARTS = ['gateway', 'store', 'watch', 'health'];
const OPEN = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const REQUEST = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
/** type and labels; for histograms without le */
const KNOWN_TO_DASHBOARDS: Readonly<Record<string, readonly [type: string, labels: readonly string[]]>> = {
  apiserver_request_total: ['counter', [...REQUEST, 'dry_run', 'code']],
  apiserver_request_duration_seconds: ['histogram', [...REQUEST, 'dry_run']],
  apiserver_request_sli_duration_seconds: ['histogram', REQUEST],
  apiserver_response_sizes: ['histogram', REQUEST],
  apiserver_longrunning_requests: ['gauge', REQUEST],
  apiserver_watch_events_total: ['counter', ['group', 'version', 'resource']],
  apiserver_current_inflight_requests: ['gauge', ['request_kind']],
  authentication_attempts: ['counter', ['result']],
  authenticated_user_requests: ['counter', ['username']],
  authorization_attempts_total: ['counter', ['result']],
  process_cpu_seconds_total: ['counter', []],
  process_resident_memory_bytes: ['gauge', []],
  process_start_time_seconds: ['gauge', []],
};

describe('Metrics of a running system', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(OBSERVED);
    ({ client } = system);
  });
  after(async () => {
    await system.stop();
  });

  async function scrape(part: string, accept = '*/*') {
    const address = system.tidegate.part(part).opsAddress;
    const answer = await fetch(`http://${address}/metrics`, { headers: { accept } });
    return { text: await answer.text(), type: answer.headers.get('content-type') ?? '' };
  }

  async function families(): Promise<Map<string, Family>> {
    return parseExposition((await scrape('gateway')).text, 'plain');
  }

  async function count(name: string, labels: Record<string, string>): Promise<number> {
    const samples = (await families()).get(name)?.samples ?? [];
    return samples
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  for (const part of PARTS) {
    test(`The metrics of ${part} contain the expiration times of its certificates.`, async () => {
      const all = parseExposition((await scrape(part)).text, 'plain');
      const samples = all.get('tidegate_certificate_expiration_timestamp_seconds')?.samples ?? [];
      assert.equal(samples.length, part === 'gateway' ? 3 : 2);
      for (const { labels, value } of samples) {
        const { validToDate } = new X509Certificate(readFileSync(labels.file as string));
        assert.equal(value, validToDate.getTime() / 1000, String(labels.file));
      }
    });

    test(`The metrics of ${part} are valid in both formats.`, async () => {
      const plain = await scrape(part);
      assert.match(plain.type, /^text\/plain; version=0\.0\.4/);
      assert.ok(parseExposition(plain.text, 'plain').size > 20);
      const open = await scrape(part, OPEN);
      assert.match(open.type, /^application\/openmetrics-text; version=1\.0\.0/);
      assert.ok(parseExposition(open.text, 'open').size > 20);
    });
  }

  test('Metrics have the names, types and labels of kube-apiserver.', async () => {
    const watch = await client.watch(`${MAPS}?watch=1`);
    await client.request('POST', MAPS, { body: configMap('counted') });
    await watch.next();
    await client.get(`${MAPS}/counted`);
    const found = await families();
    for (const [name, [type, labels]] of Object.entries(KNOWN_TO_DASHBOARDS)) {
      const family = found.get(name);
      assert.equal(family?.type, type, name);
      assert.ok(family.help.endsWith('.') || name.startsWith('process_'), `${name} is explained`);
      assert.ok(family.samples.length > 0, `${name} has samples`);
      for (const sample of family.samples) {
        const { le: _, ...own } = sample.labels;
        assert.deepEqual(Object.keys(own).sort(), [...labels].sort(), name);
      }
    }
    watch.close();
    await client.request('DELETE', `${MAPS}/counted`);
  });

  test('Each request is counted with the labels of kube-apiserver.', async () => {
    const maps = { group: '', version: 'v1', resource: 'configmaps', subresource: '', component: 'apiserver' };
    const cases = [
      ['POST', `${MAPS}?dryRun=All`, { verb: 'POST', scope: 'resource', dry_run: 'All', code: '201' }],
      ['GET', `${MAPS}/away`, { verb: 'GET', scope: 'resource', dry_run: '', code: '404' }],
      ['GET', MAPS, { verb: 'LIST', scope: 'namespace', dry_run: '', code: '200' }],
    ] as const;
    for (const [method, url, labels] of cases) {
      const before = await count('apiserver_request_total', { ...maps, ...labels });
      await client.request(method, url, method === 'POST' ? { body: configMap('dry') } : {});
      assert.equal(await count('apiserver_request_total', { ...maps, ...labels }), before + 1, `${method} ${url}`);
    }
  });

  test('A watch is shown while it is open, and counted when it ends.', async () => {
    const labels = { verb: 'WATCH', resource: 'configmaps', scope: 'namespace' };
    const open = () => count('apiserver_longrunning_requests', labels);
    const [openBefore, endedBefore] = [await open(), await count('apiserver_request_total', labels)];
    const watch = await client.watch(`${MAPS}?watch=1`);
    assert.equal(await open(), openBefore + 1);
    watch.close();
    await until('the watch to end', async () => (await open()) === openBefore);
    assert.equal(await count('apiserver_request_total', labels), endedBefore + 1);
  });

  test('Failed TLS handshakes and unauthenticated requests are counted.', async () => {
    const errors = await count('apiserver_tls_handshake_errors_total', {});
    const failures = await count('authentication_attempts', { result: 'failure' });
    await fetch(system.tidegate.server.replace('https:', 'http:')).catch(() => undefined);
    await client.request('GET', MAPS, { token: 'nobody' });
    assert.equal(await count('authentication_attempts', { result: 'failure' }), failures + 1);
    await until(
      'the handshake to be counted',
      async () => (await count('apiserver_tls_handshake_errors_total', {})) > errors,
    );
  });

  test('Exemplars link requests to traces, in OpenMetrics only.', async () => {
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await client.request('GET', `${MAPS}/traced`, { headers });
    const duration = parseExposition((await scrape('gateway', OPEN)).text, 'open').get(
      'apiserver_request_duration_seconds',
    );
    const exemplars = (duration?.samples ?? []).filter(({ exemplar }) => exemplar !== undefined);
    assert.deepEqual(
      exemplars.map(({ name, labels, exemplar }) => [name, labels.verb, exemplar?.includes(TRACE)]),
      [['apiserver_request_duration_seconds_bucket', 'GET', true]],
    );
    assert.doesNotMatch((await scrape('gateway')).text, /trace_id/);
  });

  test('The number of objects of each resource is exported.', async () => {
    const found = parseExposition((await scrape('watch')).text, 'plain').get('apiserver_resource_objects');
    const roles = found?.samples.find(({ labels }) => labels.resource === 'clusterroles');
    assert.equal(roles?.labels.group, 'rbac.authorization.k8s.io');
    assert.ok((roles?.value ?? 0) > 10);
  });
});

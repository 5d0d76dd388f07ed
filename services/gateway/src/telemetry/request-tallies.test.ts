import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry } from '@tidegate/kinds';
import { requestInfo } from '@tidegate/request-info';
import { MetricRegistry } from '@tidegate/service-kit';
import { newNotes } from '../request/resource-request.ts';
import { countEnd, RequestTallies } from './request-tallies.ts';

const registry = builtInRegistry();
const CORE = { dry_run: '', group: '', version: 'v1', resource: 'configmaps', subresource: '', component: 'apiserver' };
const MAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';

type Labels = Record<string, string>;
const UNKNOWN = { group: '', version: '', resource: 'unknown', subresource: '' };

/** method, URL, what its labels are beside those of a config map, content type */
const CASES: ReadonlyArray<readonly [string, string, Labels, string?]> = [
  ['GET', `${MAPS}/one`, { verb: 'GET', scope: 'resource' }],
  ['HEAD', `${MAPS}/one`, { verb: 'GET', scope: 'resource' }],
  ['GET', MAPS, { verb: 'LIST', scope: 'namespace' }],
  ['GET', '/api/v1/configmaps', { verb: 'LIST', scope: 'cluster' }],
  ['GET', `${MAPS}?watch=1`, { verb: 'WATCH', scope: 'namespace' }],
  ['GET', '/api/v1/watch/configmaps', { verb: 'WATCH', scope: 'cluster' }],
  ['POST', MAPS, { verb: 'POST', scope: 'resource' }],
  ['PUT', `${MAPS}/one`, { verb: 'PUT', scope: 'resource' }],
  ['PATCH', `${MAPS}/one`, { verb: 'PATCH', scope: 'resource' }, 'application/merge-patch+json'],
  ['PATCH', `${MAPS}/one`, { verb: 'APPLY', scope: 'resource' }, APPLY],
  ['PATCH', `${MAPS}/one?dryRun=All`, { verb: 'APPLY', scope: 'resource', dry_run: 'All' }, `${APPLY};charset=utf-8`],
  ['DELETE', `${MAPS}/one?dryRun=All`, { verb: 'DELETE', scope: 'resource', dry_run: 'All' }],
  ['DELETE', `${MAPS}?dryRun=some`, { verb: 'DELETECOLLECTION', scope: 'namespace', dry_run: 'invalid' }],
  ['GET', `${MAPS}?dryRun=some`, { verb: 'LIST', scope: 'namespace' }],
  [
    'PUT',
    '/apis/apps/v1/namespaces/default/deployments/one/scale',
    { verb: 'PUT', scope: 'resource', group: 'apps', resource: 'deployments', subresource: 'scale' },
  ],
  [
    'POST',
    '/api/v1/namespaces/default/pods/one/exec?command=ls',
    { verb: 'CONNECT', scope: 'resource', resource: 'pods', subresource: 'exec' },
  ],
  ['GET', '/api/v1/nodes', { verb: 'LIST', scope: 'cluster', resource: 'nodes' }],
  ['GET', '/api/v1/namespaces/default', { verb: 'GET', scope: 'resource', resource: 'namespaces' }],
  ['GET', '/apis/example.com/v1/invented', { verb: 'LIST', scope: 'cluster', ...UNKNOWN }],
  ['GET', `${MAPS}/one/invented`, { verb: 'GET', scope: 'resource', ...UNKNOWN }],
  ['GET', `${MAPS}/one/constructor`, { verb: 'GET', scope: 'resource', ...UNKNOWN }],
  ['BREW', `${MAPS}/one`, { verb: 'other', scope: 'resource' }],
];

test('Requests are counted with the labels of kube-apiserver.', () => {
  const tallies = new RequestTallies(new MetricRegistry(), (...path) => registry.find(...path));
  for (const [method, url, expected, contentType] of CASES) {
    const info = requestInfo(method, url);
    assert.ok(info !== undefined);
    assert.deepEqual({ ...tallies.of(info, contentType).labels }, { ...CORE, ...expected }, `${method} ${url}`);
  }
});

function counted(...requests: ReadonlyArray<readonly [method: string, url: string, more?: object]>) {
  const metrics = new MetricRegistry();
  const tallies = new RequestTallies(metrics, (...path) => registry.find(...path));
  for (const [method, url, more] of requests) {
    const info = requestInfo(method, url);
    assert.ok(info !== undefined);
    const { endedMs = 2, ...given } = { code: 200, bytes: undefined, isTerminated: false, ...more } as {
      code: number;
      bytes: number | undefined;
      isTerminated: boolean;
      endedMs?: number;
      notes?: object;
    };
    const notes = { ...newNotes(), startedMs: 0, ...given.notes };
    countEnd(tallies.of(info, undefined), notes, { ...given, endedMs });
  }
  return metrics;
}

const valuesOf = (text: string, start: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => Number(line.split('} ')[1]?.split(' ')[0]));

test('Invented resources of clients add no labels.', async () => {
  const invented = Array.from(
    { length: 50 },
    (_, i) => ['GET', `/apis/g${i}.io/v1/things${i}`, { code: 404 }] as const,
  );
  const { text } = await counted(...invented).exposition(undefined);
  assert.deepEqual(valuesOf(text, 'apiserver_request_total{'), [50]);
});

test('The time in queues and webhooks counts in the duration of a request, and not in the SLI duration.', async () => {
  const notes = { queuedMs: 2000, webhooksMs: 500 };
  const { text } = await counted(['POST', MAPS, { endedMs: 3000, notes }]).exposition(undefined);
  assert.deepEqual(valuesOf(text, 'apiserver_request_duration_seconds_sum'), [3]);
  assert.deepEqual(valuesOf(text, 'apiserver_request_sli_duration_seconds_sum'), [0.5]);
});

test('Dry runs are separate in metrics with a dry_run label, and merged in all others.', async () => {
  const refused = { code: 504, isTerminated: true };
  const metrics = counted(['POST', MAPS, refused], ['POST', `${MAPS}?dryRun=All`, refused]);
  const { text } = await metrics.exposition(undefined);
  assert.deepEqual(valuesOf(text, 'apiserver_request_total{'), [1, 1]);
  assert.deepEqual(valuesOf(text, 'apiserver_request_sli_duration_seconds_count'), [1]);
  assert.deepEqual(valuesOf(text, 'apiserver_request_terminations_total'), [2]);
});

test('Response sizes are recorded for gets and lists.', async () => {
  const metrics = counted(['GET', MAPS, { bytes: 2000 }], ['POST', MAPS, { bytes: 500 }]);
  const { text } = await metrics.exposition(undefined);
  assert.deepEqual(valuesOf(text, 'apiserver_response_sizes_bucket'), [0, 1, 1, 1, 1, 1, 1, 1]);
});

test('Only traced requests have exemplars, and only in OpenMetrics.', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const metrics = counted(['GET', `${MAPS}/a`, { endedMs: 30, notes: { traceId } }], ['GET', `${MAPS}/a`]);
  const plain = await metrics.exposition('text/plain');
  assert.doesNotMatch(plain.text, / # \{/);
  const open = await metrics.exposition('application/openmetrics-text;version=1.0.0');
  const exemplars = open.text.split('\n').filter((line) => line.includes(' # {'));
  assert.equal(exemplars.length, 1);
  assert.match(
    exemplars[0] ?? '',
    /_bucket\{.*le="0.05".*\} 2 # \{trace_id="4bf92f3577b34da6a3ce929d0e0e4736"\} 0.03 /,
  );
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const COUNT = 500;
const GROUPS = 50;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** About 30 KB, the average size of published definitions. */
function schema() {
  const text = (i: number) => ({
    type: 'string',
    description: `Field ${i} says how part ${i} of the thing is made, and by whom, where it is not as usual. `.repeat(
      2,
    ),
    maxLength: 100 + i,
  });
  const part = (i: number) => ({
    type: 'object',
    description: 'One part of the thing.',
    properties: Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`field${k}`, text(10 * i + k)])),
    required: ['field0'],
  });
  const properties = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`part${i}`, part(i)]));
  return { type: 'object', properties: { spec: { type: 'object', properties } } };
}

const groupOf = (i: number) => `g${i % GROUPS}.example.com`;
const collectionOf = (i: number) => `/apis/${groupOf(i)}/v1/namespaces/default/things${i}`;

function definition(i: number) {
  const names = { plural: `things${i}`, singular: `thing${i}`, kind: `Thing${i}`, listKind: `Thing${i}List` };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema() } };
  return {
    metadata: { name: `things${i}.${groupOf(i)}` },
    spec: { group: groupOf(i), scope: 'Namespaced', names, versions: [version] },
  };
}

describe('Many definitions', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem();
  });
  after(() => system?.stop());

  const residentKib = () => memoryBytes(system.tidegate.pid('gateway')) / 1024;

  test('Many definitions can be created and served one after another within a minute and in bounded memory.', async (t) => {
    const { client } = system;
    const body = definition(0);
    t.diagnostic(`${JSON.stringify(body).length} bytes each`);
    const before = residentKib();
    const began = performance.now();
    const took: number[] = [];
    for (let i = 0; i < COUNT; i++) {
      const at = performance.now();
      const { code, text } = await client.request('POST', DEFINITIONS, { body: definition(i) });
      assert.equal(code, 201, text);
      await until(`things${i} to be served`, async () => (await client.get(`${collectionOf(i)}?limit=1`)).code === 200);
      took.push(performance.now() - at);
    }
    const seconds = (performance.now() - began) / 1000;
    const kib = (residentKib() - before) / COUNT;
    took.sort((a, b) => a - b);
    t.diagnostic(
      `${seconds.toFixed(1)} s, p50 ${took[COUNT / 2]?.toFixed(0)} ms, ${kib.toFixed(0)} KiB of a gateway each`,
    );
    assert.ok(seconds < 60, `${seconds} s`);
    assert.ok(kib < 400, `${kib} KiB each`);
  });

  test('Unchanged discovery and OpenAPI documents are answered fast with 304.', async (t) => {
    const { client } = system;
    for (const [path, headers] of [
      ['/apis', { Accept: AGGREGATED }],
      ['/openapi/v3', { Accept: 'application/json' }],
    ] as const) {
      const { headers: first } = await client.get(path, headers);
      const etag = String(first.etag);
      const took: number[] = [];
      for (let i = 0; i < 50; i++) {
        const at = performance.now();
        const { code } = await client.get(path, { ...headers, 'If-None-Match': etag });
        took.push(performance.now() - at);
        assert.equal(code, 304);
      }
      took.sort((a, b) => a - b);
      t.diagnostic(`${path}: p50 ${took[25]?.toFixed(2)} ms`);
      assert.ok((took[25] as number) < 10, `${path}: ${took[25]} ms`);
    }
  });
});

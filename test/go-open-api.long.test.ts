import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { oddDefinition, until } from '@tidegate/testkit';
import { programPath, whyNoProgram } from './support/cached-go-program.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/** the version in Kubernetes 1.35 */
const PROGRAM = { name: 'go-open-api', modules: ['k8s.io/kube-openapi@v0.0.0-20250910181357-589584f1c912'] };
const GROUP = 'odd.example.com';

describe('OpenAPI documents and the Go types of Kubernetes', {
  skip: whyNoProgram(PROGRAM) ?? false,
}, () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem();
    const { client } = system;
    await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: oddDefinition(GROUP),
    });
    await until('the custom kind', async () => (await client.get(`/openapi/v3/apis/${GROUP}/v1`)).code === 200);
  });
  after(() => system.stop());

  test('OpenAPI documents do not change when the Go types of Kubernetes decode and encode them.', async (t) => {
    const { client } = system;
    const places = Object.keys((await client.get('/openapi/v3')).json.paths);
    assert.ok(places.includes(`apis/${GROUP}/v1`));
    const child = spawn(programPath(PROGRAM), { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const path of [...places.map((place) => `/openapi/v3/${place}`), '/openapi/v2']) {
      const { json } = await client.get(path);
      child.stdin.write(`${JSON.stringify(json)}\n`);
      const result = JSON.parse(String((await lines.next()).value));
      assert.equal(result.error, undefined, path);
      assert.deepEqual(result.document, json, path);
    }
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** In a process of its own: what others in this one have loaded must not count, nor be counted. */
function keptMib(): number {
  const script = `
    const { readFeatureGates } = await import('@tidegate/feature-gates');
    const { builtInRegistry } = await import('@tidegate/kinds');
    const { Negotiator } = await import('../codec/negotiate.ts');
    const { Discovery } = await import('./discovery.ts');
    const gates = readFeatureGates('');
    const discovery = new Discovery(builtInRegistry(), { gates, negotiator: new Negotiator(gates) });
    const used = async () => {
      for (let i = 0; i < 3; i++) {
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = await used();
    await discovery.document('/openapi/v3', undefined);
    const after = await used();
    console.log(JSON.stringify((after - before) / 2 ** 20));
    globalThis.kept = discovery;`;
  const out = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(out);
}

test('after the index of OpenAPI was asked for, less than 4 MiB of all that it tells of is kept', (context) => {
  const kept = keptMib();
  context.diagnostic(`kept ${kept.toFixed(2)} MiB`);
  assert.ok(kept < 4, `${kept} MiB`);
});

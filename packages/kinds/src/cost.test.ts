import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Runs in a process of its own, so that only this module's memory is measured. */
function memoryMib(): number {
  const script = `
    const { builtInRegistry } = await import('./index.ts');
    globalThis.gc();
    const before = process.memoryUsage();
    const registry = builtInRegistry();
    const seen = new Set();
    const visit = (schema) => {
      const key = schema.fields ?? schema.members ?? schema;
      if (seen.has(key)) return;
      seen.add(key);
      for (const inner of Object.values(schema.fields ?? schema.members ?? {})) visit(inner);
      if (schema.items) visit(schema.items);
      if (schema.values) visit(schema.values);
    };
    for (const kind of registry.all()) visit(kind.schema);
    globalThis.gc();
    const after = process.memoryUsage();
    const memoryMib = (after.heapUsed + after.external - before.heapUsed - before.external) / 2 ** 20;
    console.log(JSON.stringify(memoryMib));`;
  const out = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(out);
}

test('the registry takes less than 40 MiB with every schema built', (context) => {
  const taken = memoryMib();
  context.diagnostic(`memory ${taken.toFixed(2)} MiB`);
  assert.ok(taken < 40, `${taken} MiB`);
});

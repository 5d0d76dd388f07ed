import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { programPath, whyNoProgram } from './support/cached-go-program.ts';
import { runningSystem } from './support/running-system.ts';

const WRITES = {
  name: 'go-writes',
  modules: ['k8s.io/client-go@v0.35.4', 'k8s.io/api@v0.35.4', 'sigs.k8s.io/controller-runtime@v0.23.0'],
};

test('client-go and controller-runtime can update, elect leaders, create or update, and apply.', {
  skip: whyNoProgram(WRITES) ?? false,
}, async () => {
  const system = await runningSystem();
  try {
    const kubeconfig = join(system.tidegate.dataDir, 'kubeconfig');
    const { stdout } = await promisify(execFile)(programPath(WRITES), ['-kubeconfig', kubeconfig], { timeout: 90_000 });
    const { conflicts, leaders, ...seen } = JSON.parse(stdout);
    assert.deepEqual(seen, {
      counter: '160',
      atOnce: 1,
      createOrUpdate: ['created', 'unchanged', 'updated'],
      sameVersion: true,
      applyConflict: '.data.value',
      appliedManagers: ['second'],
    });
    assert.ok(conflicts > 0, 'there were conflicts');
    assert.deepEqual(leaders.sort(), ['a', 'b'], 'each candidate was the leader');
  } finally {
    await system.stop();
  }
});

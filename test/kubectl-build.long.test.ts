import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTidegate, until } from '@tidegate/testkit';
import { buildKubectl } from './support/kubectl.ts';

test('kubectl can be built from its published modules and works.', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-kubectl-build-'));
  const binary = join(dir, 'kubectl');
  const tidegate = await startTidegate();
  try {
    buildKubectl(binary);
    const run = (...args: string[]) =>
      spawnSync(binary, ['--kubeconfig', tidegate.kubeconfig, ...args], { encoding: 'utf8', timeout: 30_000 });
    await until('the default namespace', () => run('get', 'ns', 'default').status === 0);
    for (const args of [
      ['create', 'namespace', 'built'],
      ['create', 'configmap', 'x', '-n', 'built', '--from-literal=a=b'],
      ['get', 'cm', '-n', 'built'],
      ['delete', 'namespace', 'built'],
    ]) {
      const { status, stderr } = run(...args);
      assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
    }
  } finally {
    await tidegate.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

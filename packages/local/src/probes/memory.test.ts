import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { familyBytes, memoryBytes } from './memory.ts';

const MIB = 2 ** 20;
const NO_SUCH_PROCESS = 2 ** 22 + 1;

test('A process has memory, and a process that does not exist has none.', () => {
  assert.ok(memoryBytes(process.pid) > 10 * MIB);
  assert.equal(memoryBytes(NO_SUCH_PROCESS), 0);
  assert.equal(familyBytes(NO_SUCH_PROCESS), 0);
});

const skip = process.platform !== 'linux' && 'other systems do not tell the children of a process';

test('The memory of a process includes that of its children.', { skip }, async () => {
  const script = `const kept = Buffer.alloc(64 << 20, 1); console.log(kept.length); process.stdin.resume();`;
  const shell = spawn('/bin/sh', ['-c', `"$0" -e '${script}'; exit 0`, process.execPath]);
  await once(shell.stdout, 'data');
  const pid = shell.pid as number;
  const [alone, family] = [memoryBytes(pid), familyBytes(pid)];
  shell.stdin.end();
  await once(shell, 'close');
  assert.ok(family > 64 * MIB, `${family / MIB} MiB`);
  assert.ok(alone < family, `${alone / MIB} MiB`);
});

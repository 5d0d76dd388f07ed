import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from './progress.ts';

function watched(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const env = { CI: '', NO_COLOR: '', TERM: 'xterm' };
  const screen = { isTTY, write: (text: string) => written.push(text) };
  return { written, progress: new Progress('restoring', screen, () => now, env), pass: (ms: number) => (now += ms) };
}

test('On a terminal a bar is redrawn at most ten times a second, and cleared at the end.', () => {
  const { written, progress, pass } = watched(true);
  progress.show({ objects: 1, bytes: 1 }, 2000);
  pass(100);
  progress.show({ objects: 1000, bytes: 3 << 20 }, 2000);
  pass(50);
  progress.show({ objects: 1001, bytes: 3 << 20 }, 2000);
  progress.clear();
  assert.deepEqual(written, [
    `\r\x1b[Krestoring [${'#'.repeat(15)}${'-'.repeat(15)}] 50 %  1,000 of 2,000 objects  3.0 MiB  0.1 s`,
    '\r\x1b[K',
  ]);
});

test('Without a terminal a plain line is printed every ten seconds.', () => {
  const { written, progress, pass } = watched(false);
  for (let second = 0; second < 25; second++) {
    progress.show({ objects: second, bytes: 1024 }, 0);
    pass(1000);
  }
  progress.clear();
  assert.deepEqual(written, [
    'restoring: 100 %  10 of 0 objects  1 KiB  10.0 s\n',
    'restoring: 100 %  20 of 0 objects  1 KiB  20.0 s\n',
  ]);
});

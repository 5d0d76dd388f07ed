import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { beginningOf } from '../data/process-identity.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { startUnderLifeline } from './lifeline.ts';
import { openLogFile } from './log-file.ts';
import type { Running } from './running.ts';

const env = { PATH: process.env.PATH };

/** Runs a fake server: a shell script. */
function run(script: string): { running: Running; logFile: string } {
  const logFile = join(temporaryDirectory(), 'log');
  const log = openLogFile(logFile);
  return {
    running: startUnderLifeline({ command: 'sh', args: ['-c', script], stopSignal: 'SIGINT', log, env }),
    logFile,
  };
}

// a background job of a shell ignores SIGINT by default, so the fake servers are separate programs
const waits = `exec "${process.execPath}" -e "process.on('SIGINT', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up')"`;

async function whenUp(logFile: string): Promise<void> {
  while (!readFileSync(logFile, 'utf8').includes('up')) await new Promise((resolve) => setImmediate(resolve));
}

test('The reported process id is that of the server itself.', async () => {
  const { running, logFile } = run(`echo "I am $$"`);
  await running.known;
  await running.ended;
  assert.match(readFileSync(logFile, 'utf8'), new RegExp(`I am ${running.pid}`));
});

test('A server is stopped with its own signal, and its exit code is reported.', async () => {
  const { running, logFile } = run(waits);
  await whenUp(logFile);
  running.requestStop();
  assert.equal(await running.ended, 'ended with exit code 7');
});

test('A killed server is reported as killed.', async () => {
  const { running, logFile } = run(waits);
  await whenUp(logFile);
  running.kill();
  assert.equal(await running.ended, 'ended by SIGKILL');
});

test('A command that does not exist has its error in the log.', async () => {
  const logFile = join(temporaryDirectory(), 'log');
  const log = openLogFile(logFile);
  const running = startUnderLifeline({ command: '/absent/server', args: [], stopSignal: 'SIGINT', log, env });
  assert.equal(await running.ended, 'ended with exit code 127');
  assert.match(readFileSync(logFile, 'utf8'), /absent\/server/);
});

test('A server does not outlive a launcher that was killed without warning.', async () => {
  const logFile = join(temporaryDirectory(), 'log');
  const script = `
    const { startUnderLifeline } = await import(${JSON.stringify(import.meta.resolve('./lifeline.ts'))});
    const { openLogFile } = await import(${JSON.stringify(import.meta.resolve('./log-file.ts'))});
    const running = startUnderLifeline({ command: 'sh', args: ['-c', ${JSON.stringify(waits)}], stopSignal: 'SIGINT',
      log: openLogFile(${JSON.stringify(logFile)}), env: process.env });
    await running.known;
    console.log(running.pid);`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(await new Promise((resolve) => launcher.stdout.once('data', resolve)));
  await whenUp(logFile);
  launcher.kill('SIGKILL');
  while (beginningOf(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve));
});

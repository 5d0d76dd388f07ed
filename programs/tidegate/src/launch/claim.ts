import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  defaultDataDir,
  isRunning,
  lockHolder,
  prepareDataDir,
  readRunState,
  removeSocketDir,
  signalQuietly,
  takeLock,
  UserError,
} from '@tidegate/local';
import { type StartOptions, sweepEphemeral } from './start-options.ts';

const LEFTOVER_LIMIT_MS = 10_000;

/** Locks the data directory for this launcher, until release() is called. */
export async function claimDataDir(options: StartOptions): Promise<{ release(outcome: 'done' | 'failed'): void }> {
  const { dataDir, ephemeral } = options;
  if (ephemeral) sweepEphemeral(isDead);
  prepareDataDir(dataDir);
  const lock = takeLock(dataDir.lockFile);
  if (lock.kind === 'held') {
    throw new UserError(
      `the data directory ${dataDir.path} is in use by a running tidegate (process ${lock.by.pid}): stop it with \`tidegate stop${dataDir.path === defaultDataDir ? '' : ` --data-dir ${dataDir.path}`}\`, or choose another with --data-dir`,
    );
  }
  if (lock.leftBehind) await awaitLeftovers(dataDir.runFile);
  return {
    release(outcome) {
      rmSync(dataDir.runFile, { force: true });
      // the directory stays for its logs; the next ephemeral start removes it
      if (ephemeral && outcome === 'failed') return;
      lock.release();
      if (ephemeral) rmSync(dataDir.path, { recursive: true, force: true });
    },
  };
}

function isDead(lockFile: string): boolean {
  return existsSync(lockFile) && lockHolder(lockFile) === undefined;
}

/** Waits for the parts of a killed launcher, which drain and stop by themselves; their ports are free only then. */
async function awaitLeftovers(runFile: string): Promise<void> {
  const left = readRunState(runFile);
  if (left === undefined) return;
  const end = Date.now() + LEFTOVER_LIMIT_MS;
  // PostgreSQL is stopped separately
  for (const part of left.parts.filter(({ name }) => name !== 'postgres')) {
    while (isRunning(part)) {
      if (Date.now() > end) signalQuietly(part.pid, 'SIGKILL');
      await sleep(20);
    }
  }
  for (const dir of [left.socketDir, left.partsDir]) if (dir !== undefined) removeSocketDir(dir);
  rmSync(runFile, { force: true });
}

import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  defaultDataDir,
  isRunning,
  prepareDataDir,
  readRunState,
  removeSocketDir,
  signalQuietly,
  Trouble,
} from '@tidegate/local';
import { lockHolder, takeLock } from '../data/lock.ts';
import { type StartOptions, sweepEphemeral } from './start-options.ts';

const LEFTOVER_LIMIT_MS = 10_000;

/** Makes the data directory this launcher's own, until release() is called. */
export async function claimDataDir(options: StartOptions): Promise<{ release(outcome: 'done' | 'failed'): void }> {
  const { dataDir, ephemeral } = options;
  if (ephemeral) sweepEphemeral(isDead);
  prepareDataDir(dataDir);
  const lock = takeLock(dataDir.lockFile);
  if (lock.kind === 'held') {
    throw new Trouble(
      `the data directory ${dataDir.path} is in use by a running tidegate (process ${lock.by.pid}): stop it with \`tidegate stop${dataDir.path === defaultDataDir ? '' : ` --data-dir ${dataDir.path}`}\`, or choose another with --data-dir`,
    );
  }
  if (lock.leftBehind) await clearAway(dataDir.runFile);
  return {
    release(outcome) {
      rmSync(dataDir.runFile, { force: true });
      // the logs tell why; the next ephemeral start sweeps what has a lock that nobody holds
      if (ephemeral && outcome === 'failed') return;
      lock.release();
      if (ephemeral) rmSync(dataDir.path, { recursive: true, force: true });
    },
  };
}

function isDead(lockFile: string): boolean {
  return existsSync(lockFile) && lockHolder(lockFile) === undefined;
}

/** The parts of a launcher that was killed stop by themselves, each after its drain; a port is free only then. */
async function clearAway(runFile: string): Promise<void> {
  const left = readRunState(runFile);
  if (left === undefined) return;
  const end = Date.now() + LEFTOVER_LIMIT_MS;
  // PostgreSQL has its own, gentler way out
  for (const part of left.parts.filter(({ name }) => name !== 'postgres')) {
    while (isRunning(part)) {
      if (Date.now() > end) signalQuietly(part.pid, 'SIGKILL');
      await sleep(20);
    }
  }
  for (const dir of [left.socketDir, left.partsDir]) if (dir !== undefined) removeSocketDir(dir);
  rmSync(runFile, { force: true });
}

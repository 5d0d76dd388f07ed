import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginningOf, commandLineOf, signalQuietly, UserError } from '@tidegate/local';

const FAST_LIMIT_MS = 20_000;
const LAST_LIMIT_MS = 5_000;

/** Stops a server that outlived its launcher, and still holds the data: first in an orderly way, then at once. */
export async function stopLeftoverPostgres(dir: string): Promise<void> {
  const pid = postmasterOf(dir);
  if (pid === undefined) return;
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_LIMIT_MS],
    ['SIGQUIT', LAST_LIMIT_MS],
  ] as const) {
    signalQuietly(pid, signal);
    if (await isGone(pid, limitMs)) return;
  }
  throw new UserError(
    `an earlier PostgreSQL (process ${pid}) still works on ${dir} and does not stop: end it, then start again`,
  );
}

function postmasterOf(dir: string): number | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    // an error of the file system: no server was left
    return undefined;
  }
  const pid = Number(lines[0]);
  // the process id may belong to another program by now
  return pid > 1 && commandLineOf(pid).includes(dir) ? pid : undefined;
}

async function isGone(pid: number, limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (beginningOf(pid) !== undefined) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}

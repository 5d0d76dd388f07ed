import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for every promise to be missed visibly, instead of ending the run. */
const LIMIT_MS = 120_000;

/** Between two checks of promises of a hundred milliseconds, for which the usual pause would be too coarse. */
export const SHORT_PAUSE_MS = 1;

/** The time in ms until a condition holds, or until it first held if it is checked too rarely. */
export async function elapsedUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  pauseMs = 10,
): Promise<number> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > LIMIT_MS) throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
    await sleep(pauseMs);
  }
  return performance.now() - begun;
}

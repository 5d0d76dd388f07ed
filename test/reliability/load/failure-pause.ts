import { setTimeout as sleep } from 'node:timers/promises';

/** A short pause after a failed request, so that clients do not loop without a gateway. */
export function pauseAfterFailure(): Promise<void> {
  return sleep(30);
}

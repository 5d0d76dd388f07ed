import { setTimeout as sleep } from 'node:timers/promises';

/** A client whose gateway is away does not spin: part of the load, nothing is waited for. */
export function afterTrouble(): Promise<void> {
  return sleep(30);
}

import type { ChangeLog } from '../history/change-log.ts';
import type { History } from '../history/history.ts';

/** Returns one sentence for each violation in a history; none if the promise was kept. */
export type Check = (history: History, log: ChangeLog) => string[];

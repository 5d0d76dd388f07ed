import type { ChangeLog } from '../history/change-log.ts';
import type { History } from '../history/history.ts';

/** Looks at what clients saw and says, a sentence each, what cannot be: no sentence means that the promise held. */
export type Check = (history: History, log: ChangeLog) => string[];

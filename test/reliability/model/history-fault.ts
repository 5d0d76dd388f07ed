import type { Random } from '@tidegate/testkit';
import type { CheckName } from '../checks/all.ts';
import type { History } from '../history/history.ts';

/** A fault that is injected into a correct history, and the promise that it breaks. */
export interface HistoryFault {
  readonly title: string;
  readonly breaks: CheckName;
  readonly inject: (history: History, random: Random) => void;
}

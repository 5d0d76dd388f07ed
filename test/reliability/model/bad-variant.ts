import type { Random } from '@tidegate/testkit';
import type { CheckName } from '../checks/all.ts';
import type { History } from '../history/history.ts';

/** A fault, written into a good history, and the promise that it breaks. */
export interface BadVariant {
  readonly title: string;
  readonly breaks: CheckName;
  readonly spoil: (history: History, random: Random) => void;
}

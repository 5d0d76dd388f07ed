/** The spec of a stored PriorityLevelConfiguration, with its defaults. */
export type PriorityLevelSpec =
  | { readonly type: 'Exempt'; readonly exempt?: LevelShares }
  | {
      readonly type: 'Limited';
      readonly limited?: LevelShares & {
        readonly borrowingLimitPercent?: number;
        readonly limitResponse?: { readonly type: 'Queue' | 'Reject'; readonly queuing?: Queuing };
      };
    };

interface LevelShares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface Queuing {
  readonly queues: number;
  /** the number of queues in the hand of each flow */
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

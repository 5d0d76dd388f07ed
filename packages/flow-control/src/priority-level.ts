/** A PriorityLevelConfiguration's spec, as it is kept: with its defaults. */
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
  /** of which each flow is dealt so many */
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

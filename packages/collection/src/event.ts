import type { Revision } from '@tidegate/revision';
import type { Item } from './item.ts';

export const eventKind = { created: 0, updated: 1, deleted: 2 } as const;
export type EventKind = (typeof eventKind)[keyof typeof eventKind];

/** One change of a collection as its history remembers it, with both states, so that it can be played either way. */
export interface CollectionEvent {
  readonly kind: EventKind;
  readonly revision: Revision;
  readonly namespace: string;
  readonly name: string;
  /** the state after; undefined for a deletion */
  readonly item: Item | undefined;
  /** the state before; undefined for a creation */
  readonly previous: Item | undefined;
  /** the request's trace context, empty when it was not sampled */
  readonly traceparent: string;
}

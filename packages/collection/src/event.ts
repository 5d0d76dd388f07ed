import type { Revision } from '@tidegate/revision';
import type { Item } from './item.ts';

export const eventKind = { created: 0, updated: 1, deleted: 2 } as const;
export type EventKind = (typeof eventKind)[keyof typeof eventKind];

/** One change in the history of a collection, with both states, so that it can be applied and undone. */
export interface CollectionEvent {
  readonly kind: EventKind;
  readonly revision: Revision;
  readonly namespace: string;
  readonly name: string;
  /** the state after the change; undefined for a deletion */
  readonly item: Item | undefined;
  /** the state before the change; undefined for a creation */
  readonly previous: Item | undefined;
  /** the request's trace context, empty when it was not sampled */
  readonly traceparent: string;
}

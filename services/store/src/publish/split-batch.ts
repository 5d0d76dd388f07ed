import { type Change, type LogBatch, logBatchCodec } from '@tidegate/wire';

export interface Message {
  /** the same for the same changes, so that the bus drops a repetition */
  readonly id: string;
  readonly bytes: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** A batch as messages that are no larger than the bus takes; a value that alone is larger goes by reference. */
export function messagesOf(batch: LogBatch, maxBytes: number): Message[] {
  const bytes = logBatchCodec.encode(batch);
  if (bytes.length <= maxBytes) return [{ id: `${batch.epoch}-${batch.first}-${batch.last}`, bytes }];
  const { changes } = batch;
  const [only] = changes;
  if (only === undefined) return [];
  if (changes.length === 1) {
    return only.byReference ? [] : messagesOf({ ...batch, changes: [referenceTo(only)] }, maxBytes);
  }
  const middle = changes.length >> 1;
  const left = changes.slice(0, middle);
  const end = left.at(-1)!.revision;
  return [
    ...messagesOf({ ...batch, last: end, changes: left }, maxBytes),
    ...messagesOf({ ...batch, first: end + 1, changes: changes.slice(middle) }, maxBytes),
  ];
}

function referenceTo(change: Change): Change {
  return { ...change, value: NOTHING, selection: NOTHING, byReference: true };
}

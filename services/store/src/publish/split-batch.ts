import { type Change, type LogBatch, logBatchCodec } from '@tidegate/wire';

export interface Message {
  /** the same for the same changes, so that the bus drops a repetition */
  readonly id: string;
  readonly bytes: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** The batch as it may be seen by everybody on the bus: secret objects are only mentioned. */
export function withoutSecrets(batch: LogBatch, isSecret: (resource: string) => boolean): LogBatch {
  if (!batch.changes.some((change) => isSecret(change.key.resource))) return batch;
  return {
    ...batch,
    changes: batch.changes.map((change) => (isSecret(change.key.resource) ? referenceTo(change) : change)),
  };
}

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

/** The change without its content: whoever gets it reads the log. */
function referenceTo(change: Change): Change {
  return { ...change, value: NOTHING, selection: NOTHING, byReference: true };
}

import { type Change, type LogBatch, logBatchCodec } from '@tidegate/wire';

export interface Message {
  /** equal for equal changes, so that the bus drops a repeated message */
  readonly id: string;
  readonly bytes: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** The batch as it may be published: of secret objects only their keys. */
export function withoutSecrets(batch: LogBatch, isSecret: (resource: string) => boolean): LogBatch {
  if (!batch.changes.some((change) => isSecret(change.key.resource))) return batch;
  return {
    ...batch,
    changes: batch.changes.map((change) => (isSecret(change.key.resource) ? referenceTo(change) : change)),
  };
}

/** Splits a batch into messages within the limit of the bus; a larger value is replaced by a reference. */
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

/** The change without its content; the receiver reads the content from the log. */
function referenceTo(change: Change): Change {
  return { ...change, value: NOTHING, selection: NOTHING, byReference: true };
}

import { numberArray, type Pool } from '@tidegate/database';
import type { TraceSpan } from '@tidegate/service-kit';
import { type Change, type LogBatch, type Write, writeKind } from '@tidegate/wire';
import type { Vault } from '../encryption/vault.ts';
import type { Committed } from '../storage/commits/commit-batcher.ts';
import { stateAt, statements } from '../storage/statements.ts';

const NOTHING = Buffer.alloc(0);

/** The changes of a commit, as the log has them, except that deletes lack their last state. */
export function changesOf(committed: Committed): LogBatch {
  const { commit, writes, spans } = committed;
  const changes: Change[] = [];
  for (let i = 0; i < writes.length; i++) {
    const replaced = commit.replaced[i];
    if (replaced === undefined) continue;
    changes.push(changeOf(writes[i] as Write, commit.outcomes[i]!.revision, replaced, spans[i]));
  }
  const committedAtMs = performance.timeOrigin + committed.knownAt;
  return { epoch: commit.epoch, first: commit.after + 1, last: commit.last, changes, committedAtMs };
}

function changeOf(
  write: Write,
  revision: number,
  replaced: { revision: number; uid: string },
  span: TraceSpan | undefined,
): Change {
  return {
    kind: write.kind,
    key: write.key,
    revision,
    previousRevision: replaced.revision,
    value: write.value ?? NOTHING,
    splice: write.splice ?? 0,
    selection: write.selection ?? NOTHING,
    uid: write.uid || replaced.uid,
    deleting: write.deleting ?? false,
    traceparent: span?.traceparent ?? '',
    byReference: false,
    corrupt: '',
  };
}

/** Reads the last state of deleted objects. The commit does not return it, because its answer must stay small. */
export async function fetchLastStates(pool: Pool, vault: Vault, batch: LogBatch): Promise<void> {
  const deletes = new Map(
    batch.changes.filter((change) => change.kind === writeKind.delete).map((change) => [change.revision, change]),
  );
  if (deletes.size === 0) return;
  const rows = await pool.query(statements.lastStates, [numberArray([...deletes.keys()])]);
  for (const row of rows) {
    const revision = row[0] as number;
    const change = deletes.get(revision);
    if (change === undefined) continue;
    const { value, splice, selection, uid, deleting, corrupt } = vault.open(change.key, stateAt(row, 1));
    Object.assign(change, { value, splice, selection, uid, deleting, corrupt });
    deletes.delete(revision);
  }
  if (deletes.size > 0) throw new Error('the last states of deleted objects are no longer in the log');
}

import { asBuffer, byteaText, type Parameter, type Pool } from '@tidegate/database';
import { type OutcomeKind, outcomeKind, type Write } from '@tidegate/wire';
import type { Sealed } from '../../encryption/vault.ts';
import { statements } from '../statements.ts';
import { type Commit, CREATED, committed, outcome, RECORDED, type SealedWrite } from './commit.ts';

/** Whether a batch can be committed by commitOne. Most can on a system that is not busy. */
export function isSingle(batch: readonly SealedWrite[]): boolean {
  const [first] = batch;
  return first !== undefined && batch.length === 1 && (first.write.guards?.length ?? 0) <= 1;
}

/** Commits one write with at most one guard, with a third less CPU time than as a batch of one. */
export async function commitOne(pool: Pool, { write, sealed }: SealedWrite, notify: boolean): Promise<Commit> {
  const rows = await pool.query(statements.commitOne, parametersOfOne(write, sealed, notify));
  const [epoch, last, kind, revision, uid, deleting] = rows[0] as [
    number,
    number,
    number,
    number | null,
    string | null,
    boolean | null,
  ];
  const base = { epoch, after: kind === outcomeKind.committed ? last - 1 : last, last };
  if (kind === outcomeKind.committed) {
    const replaced = revision === null ? CREATED : { revision, uid: uid ?? '' };
    return { ...base, outcomes: [committed(last)], replaced: [replaced] };
  }
  const present = { revision: revision ?? 0, currentUid: uid ?? '', deleting: deleting ?? false };
  const failed = kind === RECORDED ? committed(revision ?? 0) : outcome(kind as OutcomeKind, present);
  return { ...base, outcomes: [failed], replaced: [undefined] };
}

/** The kind of a write without a guard. */
const NO_GUARD = -1;

function parametersOfOne(write: Write, { value, selection, checksum }: Sealed, notify: boolean): Parameter[] {
  const { kind, key, operationId, expectedRevision, expectedUid, sentAfter, uid, deleting, splice } = write;
  const [guard] = write.guards ?? [];
  return [
    kind,
    key.resource,
    key.namespace,
    key.name,
    asBuffer(operationId).hexSlice(),
    expectedRevision ?? 0,
    expectedUid ?? '',
    sentAfter ?? 0,
    uid ?? '',
    deleting ?? false,
    splice ?? 0,
    checksum,
    write.lifetimeSeconds ?? 0,
    write.claims?.join(' ') ?? '',
    write.ties?.join(' ') ?? '',
    byteaText([value]),
    byteaText([selection]),
    guard?.kind ?? NO_GUARD,
    guard?.key.resource ?? '',
    guard?.key.namespace ?? '',
    guard?.key.name ?? '',
    guard?.fence ?? 0,
    notify,
  ];
}

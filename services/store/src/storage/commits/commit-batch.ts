import {
  asBuffer,
  booleanArray,
  byteaText,
  numberArray,
  type Parameter,
  type Pool,
  textArray,
} from '@tidegate/database';
import { type OutcomeKind, outcomeKind, type Write, type WriteOutcome } from '@tidegate/wire';
import type { Sealed } from '../../encryption/vault.ts';
import { statements } from '../statements.ts';
import { type Commit, CREATED, committed, outcome, RECORDED, type Replaced, type SealedWrite } from './commit.ts';

interface Report {
  current: Array<number | null> | null;
  outcomes?: number[];
  revisions?: Array<number | null>;
  recorded?: Array<number | null> | null;
  uids?: Array<string | null>;
  deleting?: Array<boolean | null>;
  guards?: Array<number | null> | null;
}

/** Commits writes in one call: all values are sent as one parameter, the small columns as arrays. */
export async function commitBatch(pool: Pool, batch: readonly SealedWrite[], notify: boolean): Promise<Commit> {
  const writes = batch.map((item) => item.write);
  const sealed = batch.map((item) => item.sealed);
  const rows = await pool.query(statements.commitBatch, parametersOf(writes, sealed, notify));
  const [epoch, first, last, report] = rows[0] as [number, number, number, Report | null];
  const base = { epoch, after: first - 1, last };
  if (report?.outcomes !== undefined) return { ...base, ...mixedOutcomes(writes.length, report) };
  return {
    ...base,
    outcomes: writes.map((_, i) => committed(first + i)),
    replaced: writes.map((_, i) => replacedBy(report, i)),
  };
}

function mixedOutcomes(count: number, report: Report): Pick<Commit, 'outcomes' | 'replaced'> {
  const outcomes: WriteOutcome[] = [];
  const replaced: Array<Replaced | undefined> = [];
  for (let i = 0; i < count; i++) {
    const kind = report.outcomes?.[i];
    if (kind === RECORDED) outcomes.push(committed(report.recorded?.[i] ?? 0));
    else if (kind === outcomeKind.committed) outcomes.push(committed(report.revisions?.[i] ?? 0));
    else
      outcomes.push(
        outcome(kind as OutcomeKind, {
          revision: report.current?.[i] ?? 0,
          currentUid: report.uids?.[i] ?? '',
          deleting: report.deleting?.[i] ?? false,
          guard: report.guards?.[i] ?? 0,
        }),
      );
    replaced.push(kind === outcomeKind.committed ? replacedBy(report, i) : undefined);
  }
  return { outcomes, replaced };
}

function replacedBy(report: Report | null, i: number): Replaced {
  const revision = report?.current?.[i] ?? 0;
  return revision === 0 ? CREATED : { revision, uid: report?.uids?.[i] ?? '' };
}

function parametersOf(writes: readonly Write[], sealed: readonly Sealed[], notify: boolean): Parameter[] {
  const bytes: Uint8Array[] = [];
  const offsets: number[] = [];
  let offset = 1;
  for (const { value, selection } of sealed) {
    bytes.push(value, selection);
    offsets.push(offset);
    offset += value.length + selection.length;
  }
  return [
    numberArray(writes.map((w) => w.kind)),
    textArray(writes.map((w) => w.key.resource)),
    textArray(writes.map((w) => w.key.namespace)),
    textArray(writes.map((w) => w.key.name)),
    `{${writes.map((w) => asBuffer(w.operationId).hexSlice()).join(',')}}`,
    numberArray(writes.map((w) => w.expectedRevision ?? 0)),
    textArray(writes.map((w) => w.expectedUid ?? '')),
    numberArray(writes.map((w) => w.sentAfter ?? 0)),
    textArray(writes.map((w) => w.uid ?? '')),
    booleanArray(writes.map((w) => w.deleting ?? false)),
    numberArray(writes.map((w) => w.splice ?? 0)),
    numberArray(sealed.map((s) => s.checksum)),
    numberArray(writes.map((w) => w.lifetimeSeconds ?? 0)),
    textArray(writes.map((w) => w.claims?.join(' ') ?? '')),
    textArray(writes.map((w) => w.ties?.join(' ') ?? '')),
    numberArray(offsets),
    numberArray(sealed.map((s) => s.value.length)),
    numberArray(sealed.map((s) => s.selection.length)),
    byteaText(bytes),
    ...guardParameters(writes),
    notify,
  ];
}

/** Each distinct guard once, with the writes that need it: most writes of a batch guard the same namespace. */
function guardParameters(writes: readonly Write[]): Parameter[] {
  const kinds: number[] = [];
  const resources: string[] = [];
  const namespaces: string[] = [];
  const names: string[] = [];
  const fences: number[] = [];
  const guardedWrites: number[] = [];
  const positions: number[] = [];
  const guardedBy: number[] = [];
  const known = new Map<string, number>();
  writes.forEach((write, at) => {
    write.guards?.forEach((guard, position) => {
      const { resource, namespace, name } = guard.key;
      const fence = guard.fence ?? 0;
      const identity = `${guard.kind}\0${resource}\0${namespace}\0${name}\0${fence}`;
      let place = known.get(identity);
      if (place === undefined) {
        place = kinds.push(guard.kind);
        resources.push(resource);
        namespaces.push(namespace);
        names.push(name);
        fences.push(fence);
        known.set(identity, place);
      }
      guardedWrites.push(at + 1);
      positions.push(position);
      guardedBy.push(place);
    });
  });
  return [
    numberArray(kinds),
    textArray(resources),
    textArray(namespaces),
    textArray(names),
    numberArray(fences),
    numberArray(guardedWrites),
    numberArray(positions),
    numberArray(guardedBy),
  ];
}

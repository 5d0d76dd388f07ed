import { FOREGROUND, type Kind, metaOf, ORPHAN } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, printTime } from '@tidegate/schema';
import { conflict } from '@tidegate/status';
import { objectAnswer, successAnswer } from '../codec/answer.ts';
import type { Current } from '../objects/objects.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { type DeleteOptions, deleteOptionsShown } from './delete-options.ts';
import type { Fate, Write, Written } from './write.ts';

/**
 * What a delete makes of an object:
 *
 *   removed   nothing holds it
 *   marked    it stays, and shows that it goes: for its finalizers, or for the time that its programs have to end
 *   pending   it shows that already, and what is asked for now changes nothing
 */
export interface Deletion {
  readonly kind: 'removed' | 'marked' | 'pending';
  readonly object: JsonObject;
}

type Asked = Pick<DeleteOptions, 'graceSeconds' | 'propagation'>;

/** A deletion as a write. */
export function deletion(request: ResourceRequest, options: DeleteOptions): Write {
  const { kind } = request;
  let fate: Fate = 'stored';
  return {
    operation: 'DELETE',
    pinned: false,
    check: (current) => refusePreconditions(request, options, current),
    change: [
      (current) => {
        const deleted = deletionOf(kind, copyFor(current), options);
        fate = FATES[deleted.kind];
        return deleted.object;
      },
    ],
    fate: () => fate,
    isAdmitted: options.isAdmitted === true,
    options: { shown: () => deleteOptionsShown(options), isDryRun: options.dryRun },
    answer: (written) => deletionAnswer(request, options, written),
  };
}

const FATES = { removed: 'removed', marked: 'stored', pending: 'untouched' } as const;

/** A deletion writes into the metadata and the status only. */
function copyFor(current: JsonObject): JsonObject {
  const { metadata, status } = current;
  const copy: JsonObject = { ...current, metadata: structuredClone(metadata as JsonObject) };
  if (isJsonObject(status)) copy.status = { ...status };
  return copy;
}

function deletionAnswer(request: ResourceRequest, options: DeleteOptions, { json, fate, uid }: Written): Answer {
  if (fate !== 'removed') {
    // only a client that asks for dependents to be deleted by the older option hears that this is not done yet
    return objectAnswer(request, options.orphanDependents === false ? 202 : 200, json);
  }
  return request.kind.stored.entry.deleteReturnsObject ? objectAnswer(request, 200, json) : successAnswer(request, uid);
}

function refusePreconditions({ kind, info }: ResourceRequest, options: DeleteOptions, current: Current): void {
  const precondition = (what: string, wanted: string, found: string, meaning: string) =>
    conflict(
      { group: kind.entry.group, resource: kind.entry.kind },
      info.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${meaning}`,
    );
  if (options.uid !== undefined && options.uid !== current.uid) {
    throw precondition('UID', options.uid, current.uid, 'deleted and then recreated');
  }
  const version = String(current.revision);
  if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
    throw precondition('ResourceVersion', options.resourceVersion, version, 'modified');
  }
}

/** The object that is given is changed. */
export function deletionOf(kind: Kind, object: JsonObject, asked: Asked, now = new Date()): Deletion {
  const { entry } = kind.stored;
  const grace = giveGrace(kind, object, { asked: asked.graceSeconds, now });
  if (grace === 'pending') return { kind: 'pending', object };
  const meta = metaOf(object);
  if (!entry.ownsNothing) {
    const finalizers = finalizersFor(entry, meta.finalizers ?? [], asked.propagation);
    const last = meta.deletionTimestamp === undefined ? entry.lastFinalizer : undefined;
    if (last !== undefined && !finalizers.includes(last)) finalizers.push(last);
    if (finalizers.length > 0) meta.finalizers = finalizers;
    else delete meta.finalizers;
  }
  const isHeld = (meta.finalizers ?? []).length > 0 || (entry.held?.(object) ?? false);
  if (isHeld && grace === undefined) mark(kind, object, now);
  return { kind: isHeld || (grace ?? 0) > 0 ? 'marked' : 'removed', object };
}

interface Grace {
  readonly asked: number | undefined;
  readonly now: Date;
}

/** The seconds that the object gets, written into it. undefined: its kind goes at once. A time is only ever made shorter. */
function giveGrace({ stored }: Kind, object: JsonObject, { asked, now }: Grace): number | 'pending' | undefined {
  const { graceSeconds } = stored.entry;
  if (graceSeconds === undefined) return undefined;
  const meta = metaOf(object);
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = meta;
  const atLeast = (seconds: number) => (seconds < 0 ? 1 : seconds);
  let [seconds, begun] = [0, now.getTime()];
  if (deletionTimestamp === undefined) {
    seconds = atLeast(graceSeconds(object, asked));
    if (meta.generation !== undefined) meta.generation++;
  } else {
    if (before === undefined) return undefined;
    if (asked === undefined || atLeast(asked) >= before) return 'pending';
    seconds = atLeast(asked);
    begun = Date.parse(deletionTimestamp) - before * 1000;
  }
  meta.deletionTimestamp = printTime(new Date(begun + seconds * 1000));
  meta.deletionGracePeriodSeconds = seconds;
  return seconds;
}

/** Shows that deletion has begun. */
function mark({ stored }: Kind, object: JsonObject, now: Date): void {
  const meta = metaOf(object);
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = meta;
  if (deletionGracePeriodSeconds === undefined && generation !== undefined) meta.generation = generation + 1;
  if (deletionTimestamp === undefined || Date.parse(deletionTimestamp) > now.getTime()) {
    meta.deletionTimestamp = printTime(now);
  }
  meta.deletionGracePeriodSeconds = 0;
  stored.entry.prepareDelete?.(object);
}

/**
 * Which finalizers hold the object for what it owns. A delete that says nothing about dependents keeps those that the
 * object has; an object without them follows its kind.
 */
function finalizersFor(
  { orphansByDefault }: Kind['entry'],
  finalizers: readonly string[],
  propagation: DeleteOptions['propagation'],
): string[] {
  const named = finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : undefined;
  const wanted = propagation ?? named ?? (orphansByDefault === undefined ? undefined : 'Orphan');
  const others = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (wanted === 'Orphan') return [...others, ORPHAN];
  return wanted === 'Foreground' ? [...others, FOREGROUND] : others;
}

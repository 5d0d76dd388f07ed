import { FOREGROUND, type Kind, metaOf, ORPHAN } from '@tidegate/kinds';
import { copyOf, isJsonObject, type JsonObject, printTime } from '@tidegate/schema';
import { conflict } from '@tidegate/status';
import { objectAnswer, successAnswer } from '../codec/answer.ts';
import type { Current } from '../objects/objects.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { type DeleteOptions, deleteOptionsShown } from './delete-options.ts';
import type { Effect, Write, Written } from './write.ts';

/**
 * The effect of a delete on an object:
 *
 *   removed   nothing keeps it
 *   marked    it stays with a deletionTimestamp: because of finalizers, or for its grace period
 *   pending   it is marked already, and this delete changes nothing
 */
export interface Deletion {
  readonly kind: 'removed' | 'marked' | 'pending';
  readonly object: JsonObject;
}

type Requested = Pick<DeleteOptions, 'graceSeconds' | 'propagation'>;

/** The write of a delete. */
export function deletion(request: ResourceRequest, options: DeleteOptions): Write {
  const { kind } = request;
  let effect: Effect = 'stored';
  return {
    operation: 'DELETE',
    pinned: false,
    check: (current) => refusePreconditions(request, options, current),
    change: [
      (current) => {
        const deleted = deletionOf(kind, copyFor(current), options);
        effect = EFFECTS[deleted.kind];
        return deleted.object;
      },
    ],
    effect: () => effect,
    isAdmitted: options.isAdmitted === true,
    options: { shown: () => deleteOptionsShown(options), isDryRun: options.dryRun },
    answer: (written) => deletionAnswer(request, options, written),
  };
}

const EFFECTS = { removed: 'removed', marked: 'stored', pending: 'untouched' } as const;

/** A deletion changes only metadata and status, so only these are copied. */
function copyFor(current: JsonObject): JsonObject {
  const { metadata, status } = current;
  const copy: JsonObject = { ...current, metadata: copyOf(metadata as JsonObject) };
  if (isJsonObject(status)) copy.status = { ...status };
  return copy;
}

function deletionAnswer(
  request: ResourceRequest,
  options: DeleteOptions,
  { json, effect, uid, answer }: Written,
): Answer {
  if (effect !== 'removed') {
    // 202 only for clients that use orphanDependents=false, as in Kubernetes
    return { ...answer(), code: options.orphanDependents === false ? 202 : 200 };
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

/** Applies a deletion to the object, which it changes. */
export function deletionOf(kind: Kind, object: JsonObject, requested: Requested, now = new Date()): Deletion {
  const { entry } = kind.stored;
  const grace = setGracePeriod(kind, object, { requested: requested.graceSeconds, now });
  if (grace === 'pending') return { kind: 'pending', object };
  const meta = metaOf(object);
  if (!entry.ownsNothing) {
    const finalizers = finalizersFor(entry, meta.finalizers ?? [], requested.propagation);
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
  readonly requested: number | undefined;
  readonly now: Date;
}

/** Sets the grace period. undefined: the kind has none. A later delete can only shorten it. */
function setGracePeriod(
  { stored }: Kind,
  object: JsonObject,
  { requested, now }: Grace,
): number | 'pending' | undefined {
  const { graceSeconds } = stored.entry;
  if (graceSeconds === undefined) return undefined;
  const meta = metaOf(object);
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = meta;
  const atLeast = (seconds: number) => (seconds < 0 ? 1 : seconds);
  let [seconds, begun] = [0, now.getTime()];
  if (deletionTimestamp === undefined) {
    seconds = atLeast(graceSeconds(object, requested));
    if (meta.generation !== undefined) meta.generation++;
  } else {
    if (before === undefined) return undefined;
    if (requested === undefined || atLeast(requested) >= before) return 'pending';
    seconds = atLeast(requested);
    begun = Date.parse(deletionTimestamp) - before * 1000;
  }
  meta.deletionTimestamp = printTime(new Date(begun + seconds * 1000));
  meta.deletionGracePeriodSeconds = seconds;
  return seconds;
}

/** Marks the object as being deleted. */
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
 * The finalizers after a delete. A delete without a propagation policy keeps the policy of the object's finalizers, or
 * uses the default of its kind.
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

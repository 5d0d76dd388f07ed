import { isConverted, metaOf } from '@tidegate/kinds';
import { isSame } from '@tidegate/managed-fields';
import type { Json, JsonObject } from '@tidegate/schema';
import { namespaceTerminating, notFound } from '@tidegate/status';
import { type Guard, guardKind, outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import { asParsed, storedForm, withResourceVersion } from '../codec/stored-form.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { currentJson, keyOf, type Objects } from '../objects/objects.ts';
import type { CountedCommits } from '../quota/counted-commits.ts';
import { inStep, type ResourceRequest } from '../request/resource-request.ts';
import {
  type Commits,
  definitionGuard,
  emptinessGuard,
  guardOf,
  namespaceGuard,
  refusal,
  removalGuards,
  type UnsentWrite,
} from './commits.ts';
import { answered, type Draft, type Outcome, type Shown, type Stage } from './write.ts';

/** Serializes the object once: these bytes are stored, listed and watched. */
export const serialization: Stage = {
  name: 'serialization',
  isHeavy: true,
  applies: () => true,
  run: (draft) => {
    const { request, write, object, old } = draft;
    const { stored } = request.kind;
    const { claims } = stored.entry;
    draft.stored = storedForm(stored, object);
    draft.shown = draft.stored;
    if (write.operation === 'DELETE') return;
    if (draft.effect === 'stored' && isRemovedBy(draft)) draft.effect = 'removed';
    draft.guards = claimGuards(draft.stored.claims, old === undefined ? [] : claims?.(old));
    draft.isSame = old !== undefined && isSameState(object, old);
  },
};

/** A write that changes nothing is answered without a commit, once the store has confirmed the current object. */
export const unchanged: Stage = {
  name: 'unchanged',
  applies: ({ current }) => current !== undefined,
  run: (draft) => {
    const { current, stored, effect } = draft;
    if (current === undefined || (draft.write.operation === 'DELETE' && effect === 'removed')) return undefined;
    const isUnchanged = draft.isSame || stored.value.equals(current.value);
    if (!isUnchanged || (current.confirmed && current.stale)) return undefined;
    if (!current.confirmed) return STALE;
    return inStep(draft, () => answered(draft, { code: 200, json: currentJson(current), revision: current.revision }));
  },
};

/** A webhook converts the object to the stored version, and back for the answer, as a later read would return it. */
export function conversion(conversions: Pick<Conversions, 'written'>): Stage {
  return {
    name: 'conversion',
    applies: ({ request }) => isConverted(request.kind),
    run: async (draft) => {
      if (draft.effect === 'removed') return;
      const { stored, shown } = await conversions.written(draft.request.kind, draft.object);
      draft.stored = stored;
      draft.shown = shown;
    },
  };
}

interface DryRunPorts {
  readonly quotas: Pick<CountedCommits, 'checkQuotas'>;
  readonly objects: Pick<Objects, 'exists'>;
}

/** A dry run ends here. It checks what the guards of a commit would check. */
export function dryRun({ quotas, objects }: DryRunPorts): Stage {
  return {
    name: 'dry run',
    applies: ({ isDryRun }) => isDryRun,
    run: async (draft) => {
      const { current, shown, write } = draft;
      if (current !== undefined) {
        if (!current.confirmed) return STALE;
        if (write.operation !== 'DELETE') await quotas.checkQuotas(draft);
        return answered(draft, { code: 200, json: withResourceVersion(shown, current.revision) });
      }
      await quotas.checkQuotas(draft);
      const found = await existingObject(draft, objects);
      return found ?? answered(draft, { code: 201, json: shown.value });
    },
  };
}

interface CommitPorts {
  readonly commits: Commits;
  readonly quotas: Pick<CountedCommits, 'commit'>;
  readonly conversions: Pick<Conversions, 'remember'>;
  readonly objects: Pick<Objects, 'exists'>;
  /** called when the object of a request was removed */
  readonly removed: (request: ResourceRequest) => Promise<void>;
}

/** Commits the object if it is still current and its guards hold. */
export function commit(ports: CommitPorts): Stage {
  const { commits, quotas, conversions, objects, removed } = ports;
  return {
    name: 'commit',
    applies: () => true,
    run: async (draft) => {
      const { request, write, current, allocator, shown, effect } = draft;
      const unsent = unsentWrite(draft);
      const { key } = unsent;
      const outcome = await (write.operation === 'DELETE'
        ? commits.commit(request, unsent)
        : quotas.commit(draft, unsent));
      const claim = takenClaim(draft, unsent, outcome);
      if (claim !== undefined && allocator !== undefined) {
        await allocator.refused(claim);
        return STALE;
      }
      if (outcome.kind === outcomeKind.committed) {
        if (isConverted(request.kind) && effect === 'stored' && write.operation !== 'DELETE') {
          conversions.remember(request.kind, { key, object: draft.object, form: shown, revision: outcome.revision });
        }
        if (effect === 'removed') await removed(request);
        return inStep(draft, () => committed(draft, outcome.revision));
      }
      if (current === undefined) {
        if (outcome.kind === outcomeKind.alreadyExists) return { kind: 'taken', deleting: outcome.deleting };
        if (hasLeftovers(draft, outcome)) {
          const namespace = await objects.exists(key);
          return { kind: 'taken', deleting: namespace !== 'exists' };
        }
      } else {
        if (outcome.kind === outcomeKind.notFound && write.orCreate !== undefined) return STALE;
        if (outcome.kind === outcomeKind.conflict && !(write.pinned && current.confirmed)) return STALE;
      }
      throw refusal(request, key, outcome);
    },
  };
}

const STALE: Outcome = { kind: 'stale' };

/** A terminating object is removed by the write that removes the last reason to keep it. */
function isRemovedBy({ request: { kind }, object }: Draft): boolean {
  const meta = metaOf(object);
  if (meta.deletionTimestamp === undefined) return false;
  const hasTime = (meta.deletionGracePeriodSeconds ?? 0) > 0;
  return !(hasTime || (meta.finalizers ?? []).length > 0 || (kind.stored.entry.held?.(object) ?? false));
}

/** Whether only the resourceVersion and the times in managedFields differ. */
function isSameState(object: JsonObject, old: JsonObject): boolean {
  const { resourceVersion, managedFields } = metaOf(old);
  const meta: JsonObject = { ...(metaOf(object) as JsonObject), resourceVersion: resourceVersion ?? '' };
  if (!isSame(withoutTimes(meta.managedFields), withoutTimes(managedFields))) return false;
  if (managedFields !== undefined) meta.managedFields = managedFields;
  return isSame({ ...object, metadata: meta }, old);
}

function withoutTimes(owners: Json | undefined): Json {
  return Array.isArray(owners) ? owners.map((owner) => ({ ...(owner as JsonObject), time: null })) : null;
}

/** New claims must not be held by another object. */
function claimGuards(claims: readonly string[] = [], old: readonly string[] = []): Guard[] {
  const fresh = claims.filter((claim) => !old.includes(claim));
  return fresh.map((name) => ({ kind: guardKind.unclaimed, key: { resource: '', namespace: '', name } }));
}

function unsentWrite(draft: Draft): UnsentWrite {
  const { request, object, current, stored, guards, effect } = draft;
  const { kind, info } = request;
  const { uid = '', name = '', namespace = '', deletionTimestamp } = metaOf(object);
  if (current === undefined) {
    const key = keyOf(kind, namespace, name);
    const needed = [...namespaceGuard(kind, namespace), ...definitionGuard(kind), ...emptinessGuard(kind, name)];
    return { kind: writeKind.create, key, ...stored, uid, guards: [...needed, ...guards] };
  }
  const at = { key: keyOf(kind, info.namespace, info.name), expectedRevision: current.revision };
  if (effect === 'removed') return { kind: writeKind.delete, ...at, guards: removalGuards(request) };
  return { kind: writeKind.update, ...at, ...stored, uid, deleting: deletionTimestamp !== undefined, guards };
}

/** The claim because of which the commit failed, if any. */
function takenClaim({ request }: Draft, { guards = [] }: UnsentWrite, outcome: WriteOutcome): string | undefined {
  if (outcome.kind !== outcomeKind.guardFailed) return undefined;
  const guard = guards[guardOf(request, outcome)];
  return guard?.kind === guardKind.unclaimed ? guard.key.name : undefined;
}

function committed(draft: Draft, revision: number): Outcome {
  const { write, current, shown, effect } = draft;
  const code = current === undefined ? 201 : 200;
  if (effect !== 'removed') {
    const json = withResourceVersion(shown, revision);
    return answered(draft, { code, json, revision, ...kept(draft, revision, json) });
  }
  // an update that removes the object returns its last version; a deletion returns the revision of the deletion
  const isLast = current !== undefined && write.operation !== 'DELETE';
  return answered(draft, { code, json: withResourceVersion(shown, isLast ? current.revision : revision) });
}

/**
 * Keeps the committed object for watchers and for the next write, and returns it for the answer. What a webhook converts
 * is not as the store has it.
 */
function kept({ request: { kind }, object, recent }: Draft, revision: number, json: Buffer): Pick<Shown, 'object'> {
  if (isConverted(kind)) return {};
  const state = { object: () => asParsed(kind.stored, object, revision) };
  recent.add({ resource: kind.storedAs, revision, uid: metaOf(object).uid ?? '', json: () => json, ...state });
  return state;
}

/** The namespace cannot be created because objects of an earlier namespace of this name still exist. */
function hasLeftovers({ request: { kind, fence } }: Draft, outcome: WriteOutcome): boolean {
  const isOfLease = fence !== undefined && outcome.guard === 0;
  return kind.storedAs === 'namespaces' && outcome.kind === outcomeKind.guardFailed && !isOfLease;
}

/** What a creation would fail with: an existing object of this name, or a missing namespace. */
async function existingObject(
  { request, object }: Draft,
  objects: Pick<Objects, 'exists'>,
): Promise<Outcome | undefined> {
  const { kind } = request;
  const { name = '', namespace = '' } = metaOf(object);
  const key = keyOf(kind, namespace, name);
  const [state, namespaceState] = await Promise.all([
    objects.exists(key),
    kind.entry.namespaced ? objects.exists({ resource: 'namespaces', namespace: '', name: namespace }) : 'exists',
  ]);
  if (namespaceState === 'absent') throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (namespaceState === 'deleting') throw namespaceTerminating(kind.entry, name, namespace);
  return state === 'absent' ? undefined : { kind: 'taken', deleting: state === 'deleting' };
}

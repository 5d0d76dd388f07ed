import { isConverted, metaOf } from '@tidegate/kinds';
import { isSame } from '@tidegate/managed-fields';
import type { Json, JsonObject } from '@tidegate/schema';
import { namespaceTerminating, notFound } from '@tidegate/status';
import { type Guard, guardKind, outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import { storedForm, withResourceVersion } from '../codec/stored-form.ts';
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
import { answered, type Draft, type Outcome, type Stage } from './write.ts';

/** Serializes the object, once: these bytes are stored, listed and watched. */
export const serialization: Stage = {
  name: 'serialization',
  isHeavy: true,
  applies: () => true,
  run: (draft) => {
    const { request, write, object, old } = draft;
    const { stored } = request.kind;
    const { claims, warn } = stored.entry;
    draft.stored = storedForm(stored, object);
    draft.shown = draft.stored;
    if (write.operation === 'DELETE') return;
    if (draft.fate === 'stored' && isRemovedBy(draft)) draft.fate = 'removed';
    draft.guards = claimGuards(draft.stored.claims, old === undefined ? [] : claims?.(old));
    draft.isSame = old !== undefined && isSameState(object, old);
    if (old === undefined || request.info.subresource === '') draft.warnings = warn?.(object, old) ?? [];
  },
};

/** A change that changes nothing is answered without a commit, as soon as the object is known to be the current one. */
export const unchanged: Stage = {
  name: 'unchanged',
  applies: ({ current }) => current !== undefined,
  run: (draft) => {
    const { current, stored, fate } = draft;
    if (current === undefined || (draft.write.operation === 'DELETE' && fate === 'removed')) return undefined;
    const isUnchanged = draft.isSame || stored.value.equals(current.value);
    if (!isUnchanged || (current.confirmed && current.stale)) return undefined;
    if (!current.confirmed) return STALE;
    return inStep(draft, () => answered(draft, { code: 200, json: currentJson(current) }));
  },
};

/** A webhook converts the object to the stored version, and shows what a later read will show of it. */
export function conversion(conversions: Pick<Conversions, 'written'>): Stage {
  return {
    name: 'conversion',
    applies: ({ request }) => isConverted(request.kind),
    run: async (draft) => {
      if (draft.fate === 'removed') return;
      const { stored, shown } = await conversions.written(draft.request.kind, draft.object);
      draft.stored = stored;
      draft.shown = shown;
    },
  };
}

interface DryRunPorts {
  readonly quotas: Pick<CountedCommits, 'refuseExceeding'>;
  readonly objects: Pick<Objects, 'exists'>;
}

/** A dry run ends here. It looks up what a commit would guard. */
export function dryRun({ quotas, objects }: DryRunPorts): Stage {
  return {
    name: 'dry run',
    applies: ({ isDryRun }) => isDryRun,
    run: async (draft) => {
      const { current, shown, write } = draft;
      if (current !== undefined) {
        if (!current.confirmed) return STALE;
        if (write.operation !== 'DELETE') await quotas.refuseExceeding(draft);
        return answered(draft, { code: 200, json: withResourceVersion(shown, current.revision) });
      }
      await quotas.refuseExceeding(draft);
      const found = await whatIsThere(draft, objects);
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

/** Commits the object where it still is the current one, and its guards hold. */
export function commit(ports: CommitPorts): Stage {
  const { commits, quotas, conversions, objects, removed } = ports;
  return {
    name: 'commit',
    applies: () => true,
    run: async (draft) => {
      const { request, write, current, allotment, shown, fate } = draft;
      const unsent = unsentWrite(draft);
      const { key } = unsent;
      const outcome = await (write.operation === 'DELETE'
        ? commits.commit(request, unsent)
        : quotas.commit(draft, unsent));
      const claim = takenClaim(draft, unsent, outcome);
      if (claim !== undefined && allotment !== undefined) {
        await allotment.refused(claim);
        return STALE;
      }
      if (outcome.kind === outcomeKind.committed) {
        if (isConverted(request.kind) && fate === 'stored' && write.operation !== 'DELETE') {
          conversions.remember(request.kind, { key, object: draft.object, form: shown, revision: outcome.revision });
        }
        if (fate === 'removed') await removed(request);
        return inStep(draft, () => committed(draft, outcome.revision));
      }
      if (current === undefined) {
        if (outcome.kind === outcomeKind.alreadyExists) return { kind: 'taken', deleting: outcome.deleting };
        if (isLeftBehind(draft, outcome)) {
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

/** An object that is being deleted is removed by the change that lets go of it. */
function isRemovedBy({ request: { kind }, object }: Draft): boolean {
  const meta = metaOf(object);
  if (meta.deletionTimestamp === undefined) return false;
  const hasTime = (meta.deletionGracePeriodSeconds ?? 0) > 0;
  return !(hasTime || (meta.finalizers ?? []).length > 0 || (kind.stored.entry.held?.(object) ?? false));
}

/** Nothing differs but the version, and the times at which owners say that they changed it. */
function isSameState(object: JsonObject, old: JsonObject): boolean {
  const { resourceVersion, managedFields } = metaOf(old);
  const meta: JsonObject = { ...(metaOf(object) as JsonObject), resourceVersion: resourceVersion ?? '' };
  if (!isSame(timeless(meta.managedFields), timeless(managedFields))) return false;
  if (managedFields !== undefined) meta.managedFields = managedFields;
  return isSame({ ...object, metadata: meta }, old);
}

function timeless(owners: Json | undefined): Json {
  return Array.isArray(owners) ? owners.map((owner) => ({ ...(owner as JsonObject), time: null })) : null;
}

/** No other object may have a claim that the old one does not have. */
function claimGuards(claims: readonly string[] = [], old: readonly string[] = []): Guard[] {
  const fresh = claims.filter((claim) => !old.includes(claim));
  return fresh.map((name) => ({ kind: guardKind.unclaimed, key: { resource: '', namespace: '', name } }));
}

function unsentWrite(draft: Draft): UnsentWrite {
  const { request, object, current, stored, guards, fate } = draft;
  const { kind, info } = request;
  const { uid = '', name = '', namespace = '', deletionTimestamp } = metaOf(object);
  if (current === undefined) {
    const key = keyOf(kind, namespace, name);
    const needed = [...namespaceGuard(kind, namespace), ...definitionGuard(kind), ...emptinessGuard(kind, name)];
    return { kind: writeKind.create, key, ...stored, uid, guards: [...needed, ...guards] };
  }
  const at = { key: keyOf(kind, info.namespace, info.name), expectedRevision: current.revision };
  if (fate === 'removed') return { kind: writeKind.delete, ...at, guards: removalGuards(request) };
  return { kind: writeKind.update, ...at, ...stored, uid, deleting: deletionTimestamp !== undefined, guards };
}

/** The claim of another object, where the commit failed for it. */
function takenClaim({ request }: Draft, { guards = [] }: UnsentWrite, outcome: WriteOutcome): string | undefined {
  if (outcome.kind !== outcomeKind.guardFailed) return undefined;
  const guard = guards[guardOf(request, outcome)];
  return guard?.kind === guardKind.unclaimed ? guard.key.name : undefined;
}

function committed(draft: Draft, revision: number): Outcome {
  const { write, current, shown, fate } = draft;
  if (current === undefined) return answered(draft, { code: 201, json: withResourceVersion(shown, revision) });
  // an update that lets the object go shows its last version; a deletion shows the revision of the deletion
  const isLast = fate === 'removed' && write.operation !== 'DELETE';
  return answered(draft, { code: 200, json: withResourceVersion(shown, isLast ? current.revision : revision) });
}

/** The objects of an earlier namespace of this name are not all deleted yet. */
function isLeftBehind({ request: { kind, fence } }: Draft, outcome: WriteOutcome): boolean {
  const isOfLease = fence !== undefined && outcome.guard === 0;
  return kind.storedAs === 'namespaces' && outcome.kind === outcomeKind.guardFailed && !isOfLease;
}

/** The outcome that a creation would have for an object of its name, or for want of its namespace. */
async function whatIsThere({ request, object }: Draft, objects: Pick<Objects, 'exists'>): Promise<Outcome | undefined> {
  const { kind } = request;
  const { name = '', namespace = '' } = metaOf(object);
  const key = keyOf(kind, namespace, name);
  const [there, home] = await Promise.all([
    objects.exists(key),
    kind.entry.namespaced ? objects.exists({ resource: 'namespaces', namespace: '', name: namespace }) : 'exists',
  ]);
  if (home === 'absent') throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (home === 'deleting') throw namespaceTerminating(kind.entry, name, namespace);
  return there === 'absent' ? undefined : { kind: 'taken', deleting: there === 'deleting' };
}

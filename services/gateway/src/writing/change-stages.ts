import { type Kind, metaOf, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, conflict, invalid, requiredValue } from '@tidegate/status';
import { type Current, currentJson } from '../objects/objects.ts';
import { ownChanged, ownCreated } from '../ownership/own-fields.ts';
import { inStep, type ResourceRequest } from '../request/resource-request.ts';
import { answered, type Draft, type Stage, type Write } from './write.ts';

/** Applies the change of the write. */
export const change: Stage = {
  name: 'change',
  converts: true,
  applies: () => true,
  run: (draft) => {
    // a stage that converts is repeated by `replay`, so it must be synchronous
    const isSync = draft.steps === undefined || draft.request.conversions !== undefined;
    if (!isSync) return changeInSteps(draft);
    changeSync(draft);
    return undefined;
  },
};

function changeSync(draft: Draft): void {
  draft.object = draft.write.change.reduce((object, step) => step(object), draft.old ?? {});
  setEffect(draft);
}

async function changeInSteps(draft: Draft): Promise<void> {
  draft.object = await applyInSteps(draft, draft.write.change, draft.old ?? {});
  setEffect(draft);
}

/** Applies the functions of a change, each in a step of its own. */
export async function applyInSteps(
  draft: Pick<Draft, 'steps'>,
  change: Write['change'],
  old: JsonObject,
): Promise<JsonObject> {
  let object = old;
  for (const step of change) {
    const before = object;
    object = await inStep(draft, () => step(before));
  }
  return object;
}

function setEffect(draft: Draft): void {
  draft.effect = draft.write.effect?.() ?? 'stored';
}

/** A deletion that changes nothing ends here, before admission. */
export const untouched: Stage = {
  name: 'untouched',
  applies: ({ write }) => write.operation === 'DELETE',
  run: (draft) => {
    const { current, effect } = draft;
    if (effect !== 'untouched' || current === undefined) return undefined;
    return answered(draft, { json: currentJson(current), code: 200, revision: current.revision });
  },
};

/** Rejects stale versions, and copies the fields that belong to the server from the current object. */
export const serverFields: Stage = {
  name: 'server fields',
  isHeavy: true,
  applies: ({ write }) => write.operation !== 'DELETE',
  run: ({ request, current, old, object, isDryRun }) => {
    if (current === undefined || old === undefined) {
      // a dry run may send an object with its resourceVersion, as in Kubernetes
      if (metaOf(object).resourceVersion && !isDryRun) {
        throw new ApiError('', 'resourceVersion should not be set on objects to be created');
      }
      request.record?.named(metaOf(object).name ?? '');
      return;
    }
    refuseStale(request, current, object);
    keepServerFields(object, old);
    // plugins, webhooks and policies see the version that will be changed
    metaOf(object).resourceVersion = String(current.revision);
  },
};

/** Records the owners of the fields that changed. */
export function ownFields(registry: Registry): Stage {
  return {
    name: 'own fields',
    isHeavy: true,
    converts: true,
    applies: ({ write }) => write.operation !== 'DELETE',
    run: ({ request, write: { ownership = 'compared' }, object, old }) => {
      if (ownership === 'kept' && old !== undefined) keepOwners(object, old);
      else if (ownership !== 'compared') return;
      else if (old === undefined) ownCreated(registry, request, object);
      else ownChanged(registry, request, object, old);
    },
  };
}

function refuseStale({ kind, info }: ResourceRequest, current: Current, object: JsonObject): void {
  const meta = metaOf(object);
  // in a patch, a changed uid is rejected later like any other immutable field
  const isPrecondition = info.verb !== 'patch' || info.subresource !== '';
  if (isPrecondition && meta.uid && meta.uid !== current.uid) {
    throw conflict(
      kind.entry,
      info.name,
      `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${current.uid}`,
    );
  }
  const version = meta.resourceVersion ?? '';
  if (!/^\d*$/.test(version)) throw badRequest(`invalid resource version: ${JSON.stringify(version)} is not a number`);
  if (version === '' || version === '0') {
    if (kind.entry.conditionalUpdate) throw unversioned(kind, info.name);
    return;
  }
  if (version !== String(current.revision)) throw conflict(kind.entry, info.name);
}

function unversioned({ entry }: Kind, name: string): ApiError {
  return invalid({ group: entry.group, kind: entry.kind, name }, [
    {
      ...requiredValue('metadata.resourceVersion'),
      type: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
    },
  ]);
}

const ALWAYS_COPIED = ['creationTimestamp', 'deletionTimestamp', 'generation'] as const;
const COPIED_IF_UNSET = ['uid', 'deletionGracePeriodSeconds', 'generateName'] as const;

/** Server fields come from the old object, unless the client tried to change one: that is rejected later. */
export function keepServerFields(object: JsonObject, old: JsonObject): void {
  const meta = metaOf(object);
  const before = metaOf(old);
  const kept = meta as Record<string, unknown>;
  for (const field of ALWAYS_COPIED) {
    if (before[field] !== undefined) kept[field] = before[field];
    else if (field !== 'deletionTimestamp') delete kept[field];
  }
  for (const field of COPIED_IF_UNSET) if (!meta[field] && before[field] !== undefined) kept[field] = before[field];
  delete meta.selfLink;
}

function keepOwners(object: JsonObject, old: JsonObject): void {
  const { managedFields } = metaOf(old);
  if (managedFields === undefined) delete metaOf(object).managedFields;
  else metaOf(object).managedFields = managedFields;
}

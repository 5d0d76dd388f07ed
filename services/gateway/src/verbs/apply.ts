import { metaOf, type Registry } from '@tidegate/kinds';
import {
  type Application,
  type Applied,
  appliedFields,
  applyConfiguration,
  ConflictingOwners,
  duplicateIn,
  emptyObject,
  type Merged,
  mergeConfiguration,
  Nameless,
  ownBeforeApply,
  settleOwners,
} from '@tidegate/managed-fields';
import { type JsonObject, printTime } from '@tidegate/schema';
import { ApiError, badRequest, conflict } from '@tidegate/status';
import { decodeApplied } from '../codec/decode-body.ts';
import { versionsOf } from '../ownership/kind-versions.ts';
import { syncLastApplied, toleratedConflicts } from '../ownership/last-applied.ts';
import { liveOwners, setOwners, withoutOwners } from '../ownership/own-fields.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { requiredFieldManager } from '../request/write-options.ts';
import { admitObject, knownFields, refuseOtherKind, takePlace } from '../writing/admit-object.ts';
import { changedInSteps } from '../writing/change-stages.ts';
import type { Write } from '../writing/write.ts';
import { creation, type WritePorts } from './create.ts';

export interface ApplyPorts extends WritePorts {
  readonly registry: Registry;
}

/** PATCH with an applied configuration: what its author wants of the object, whether it exists already or not. */
export async function apply({ writer, registry }: ApplyPorts, request: ResourceRequest): Promise<Answer> {
  const wish = await inStep(request, () => readWish(registry, request));
  const fields = await inStep(request, () => typed(request, wish.sent, () => appliedFields(wish)));
  return writer.write(request, applying(request, { ...wish, fields }));
}

/** An applied configuration as a write. */
export function applying(request: ResourceRequest, wish: Wish): Write {
  const { uid = '', resourceVersion = '' } = metaOf(wish.applied);
  const change = changeOf(request, wish);
  return {
    operation: 'UPDATE',
    change,
    pinned: resourceVersion !== '',
    ownership: 'applied',
    ...(request.info.subresource === '' ? { orCreate: () => creationOf(request, change, uid) } : {}),
  };
}

/** What an applied configuration wants, before anybody has looked at the object. */
export interface Wish extends Omit<Application, 'live' | 'owners'> {
  /** the configuration as it came, without what the path says */
  readonly sent: JsonObject;
}

export function readWish(registry: Registry, request: ResourceRequest): Wish {
  const { kind, info } = request;
  const manager = requiredFieldManager(request);
  const { object: raw, notes } = decodeApplied(kind.schema, request.body, request.contentType);
  if (!raw.apiVersion || !raw.kind) throw badRequest('an applied configuration says its apiVersion and its kind');
  refuseOtherKind(kind, raw);
  const sent = knownFields(request, raw, { keepsNulls: true, ...(notes === undefined ? {} : { notes }) });
  sent.apiVersion = kind.apiVersion;
  sent.kind = kind.entry.kind;
  if (metaOf(sent).managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const twice = typed(request, sent, () => duplicateIn(kind.schema, sent));
  if (twice !== undefined) throw untyped(request, sent, twice);
  const applied = { ...sent, metadata: { ...(sent.metadata as JsonObject) } };
  takePlace(kind, info, applied);
  return {
    sent,
    versions: versionsOf(registry, request),
    applied,
    author: { manager, subresource: info.subresource },
    time: printTime(),
    force: info.query.flag('force'),
  };
}

function untyped({ kind }: ResourceRequest, sent: JsonObject, why: string): ApiError {
  const { entry } = kind;
  const { namespace = '', name = '' } = metaOf(sent);
  const object = `${namespace}/${name}; ${entry.group}/${entry.version}, Kind=${entry.kind}`;
  return badRequest(`failed to create typed patch object (${object}): ${why}`);
}

/** The steps that carry out the configuration: merge it, settle the owners of its fields, read the result as a client's object. */
function changeOf(request: ResourceRequest, wish: Wish): Write['change'] {
  let merged: Merged;
  let applied: Applied;
  return [
    (current) => {
      merged = mergedWith(request, wish, current);
      return merged.object;
    },
    () => {
      applied = settled(request, wish, merged);
      return applied.object;
    },
    () => admitApplied(request, applied),
  ];
}

/** The object with what is applied, before anybody has asked whose its fields are. */
function mergedWith(request: ResourceRequest, wish: Wish, stored: JsonObject): Merged {
  const live = withoutOwners(request.kind, stored);
  const known = liveOwners(stored);
  const isNew = Object.keys(stored).length === 0;
  const { versions, time, author } = wish;
  const owners =
    known.size > 0 || isNew
      ? known
      : ownBeforeApply({
          versions,
          old: emptyObject(request.kind.schema),
          next: live,
          time,
          subresource: author.subresource,
        });
  return typed(request, wish.sent, () => mergeConfiguration({ ...wish, live, owners }));
}

/** The same, with whose its fields are, and without those that are not applied any more. */
function settled(request: ResourceRequest, { sent, author }: Wish, merged: Merged): Applied {
  const applied = typed(request, sent, () => unlessConflicting(merged));
  if (author.manager === 'kubectl') syncLastApplied(applied.object, sent);
  return applied;
}

/** The same as the server takes it, in the version that is stored. */
function admitApplied(request: ResourceRequest, { object, owners }: Applied): JsonObject {
  const admitted = admitObject(request, object);
  setOwners(admitted, owners);
  return admitted;
}

function unlessConflicting(merged: Merged): Applied {
  const { application } = merged;
  try {
    return settleOwners(merged);
  } catch (error) {
    if (!(error instanceof ConflictingOwners)) throw error;
    const left = application.author.manager === 'kubectl' ? toleratedConflicts(application, error) : error;
    if (left === undefined) return applyConfiguration({ ...application, force: true });
    throw new ApiError('Conflict', left.message, { details: { causes: left.causes } });
  }
}

/** What is done with items by their names, which they must have. */
function typed<T>(request: ResourceRequest, sent: JsonObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Nameless) throw untyped(request, sent, error.message);
    throw error;
  }
}

/** The write that creates the object, where there is none yet. */
async function creationOf(request: ResourceRequest, change: Write['change'], uid: string): Promise<Write> {
  const { kind, info, conversions, warnings } = request;
  if (uid !== '') {
    throw conflict(
      kind.entry,
      info.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  const all = () => change.reduce((object, step) => step(object), {} as JsonObject);
  const object =
    conversions === undefined ? await changedInSteps(request, change, {}) : await conversions.replay(warnings, all);
  delete metaOf(object).resourceVersion;
  return creation(object, 'applied');
}

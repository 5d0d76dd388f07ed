import { metaOf } from '@tidegate/kinds';
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
import type { Gateway } from '../gateway.ts';
import { versionsOf } from '../ownership/kind-versions.ts';
import { syncLastApplied, toleratedConflicts } from '../ownership/last-applied.ts';
import { liveOwners, setOwners, withoutOwners } from '../ownership/own-fields.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { requiredFieldManager } from '../request/write-options.ts';
import { admitObject, knownFields, refuseOtherKind, takePlace } from '../rules/admit-object.ts';
import { type Change, changeObject, type Making, resultInSteps, resultOf } from '../rules/change-object.ts';
import { createUnlessTaken } from './create.ts';

/** PATCH with an applied configuration: what its author wants of the object, whether it is there already or not. */
export async function apply(gateway: Gateway, request: ResourceRequest): Promise<Answer> {
  const wish = await inStep(request, () => readWish(gateway, request));
  const fields = await inStep(request, () => typed(request, wish.sent, () => appliedFields(wish)));
  return applyWish(gateway, request, { ...wish, fields });
}

/** Carries out what an applied configuration wants of the request's object. */
export function applyWish(
  gateway: Gateway,
  request: ResourceRequest,
  wish: Wish,
  shown: Pick<Change, 'show' | 'admitted'> = {},
): Promise<Answer> {
  const { uid = '', resourceVersion = '' } = metaOf(wish.applied);
  const making = makingOf(request, wish);
  return changeObject(gateway, request, {
    ...shown,
    ...making,
    pinned: resourceVersion !== '',
    ownership: 'applied',
    ...(request.info.subresource === '' ? { create: () => createApplied(gateway, request, making, uid) } : {}),
  });
}

/** What an applied configuration wants, before anybody has looked at the object. */
export interface Wish extends Omit<Application, 'live' | 'owners'> {
  /** the configuration as it came, without what the path says */
  readonly sent: JsonObject;
}

export function readWish(gateway: Gateway, request: ResourceRequest): Wish {
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
    versions: versionsOf(gateway.registry, request),
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

/** How the configuration is carried out on an object, or on none: merged, settled with others, and admitted. */
function makingOf(request: ResourceRequest, wish: Wish): Making {
  let merged: Merged;
  let applied: Applied;
  return {
    apply: (current) => {
      merged = mergedWith(request, wish, current);
      return merged.object;
    },
    further: [
      () => {
        applied = settled(request, wish, merged);
        return applied.object;
      },
      () => admitApplied(request, applied),
    ],
  };
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

/** undefined: somebody made it meanwhile. */
async function createApplied(
  gateway: Gateway,
  request: ResourceRequest,
  making: Making,
  uid: string,
): Promise<Answer | undefined> {
  const { kind, info } = request;
  if (uid !== '') {
    throw conflict(
      kind.entry,
      info.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  const { conversions, warnings } = request;
  const object =
    conversions === undefined
      ? await resultInSteps(request, making, {})
      : await conversions.replay(warnings, () => resultOf(making, {}));
  delete metaOf(object).resourceVersion;
  return createUnlessTaken(gateway, request, object);
}

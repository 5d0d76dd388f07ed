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
  ownBeforeApply,
  settleOwners,
  UnidentifiedItem,
} from '@tidegate/managed-fields';
import { type JsonObject, printTime } from '@tidegate/schema';
import { ApiError, badRequest, conflict } from '@tidegate/status';
import { decodeApplied } from '../codec/decode-body.ts';
import { versionsOf } from '../ownership/kind-versions.ts';
import { toleratedConflicts, withLastApplied } from '../ownership/last-applied.ts';
import { liveOwners, setOwners, withoutOwners } from '../ownership/own-fields.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { requiredFieldManager } from '../request/write-options.ts';
import { admitObject, knownFields, refuseOtherKind, setIdentity } from '../writing/admit-object.ts';
import { applyInSteps } from '../writing/change-stages.ts';
import type { Write } from '../writing/write.ts';
import { creation, type WritePorts } from './create.ts';

export interface ApplyPorts extends WritePorts {
  readonly registry: Registry;
}

/** PATCH with an applied configuration. The object is created if it does not exist. */
export async function apply({ writer, registry }: ApplyPorts, request: ResourceRequest): Promise<Answer> {
  const configuration = await inStep(request, () => readConfiguration(registry, request));
  const fields = await inStep(request, () => typed(request, configuration.sent, () => appliedFields(configuration)));
  return writer.write(request, applying(request, { ...configuration, fields }));
}

/** The write of an applied configuration. */
export function applying(request: ResourceRequest, configuration: Configuration): Write {
  const { uid = '', resourceVersion = '' } = metaOf(configuration.applied);
  const change = changeOf(request, configuration);
  return {
    operation: 'UPDATE',
    change,
    pinned: resourceVersion !== '',
    ownership: 'applied',
    ...(request.info.subresource === '' ? { orCreate: () => creationOf(request, change, uid) } : {}),
  };
}

/** An applied configuration, before it is merged with the object. */
export interface Configuration extends Omit<Application, 'live' | 'owners'> {
  /** the configuration as the client sent it, without what the path adds */
  readonly sent: JsonObject;
}

export function readConfiguration(registry: Registry, request: ResourceRequest): Configuration {
  const { kind, info } = request;
  const manager = requiredFieldManager(request);
  const { object: raw, notes } = decodeApplied(kind.schema, request.body, request.contentType);
  if (!raw.apiVersion || !raw.kind) throw badRequest('an applied configuration must have apiVersion and kind');
  refuseOtherKind(kind, raw);
  const sent = knownFields(request, raw, { keepsNulls: true, ...(notes === undefined ? {} : { notes }) });
  sent.apiVersion = kind.apiVersion;
  sent.kind = kind.entry.kind;
  if (metaOf(sent).managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const duplicate = typed(request, sent, () => duplicateIn(kind.schema, sent));
  if (duplicate !== undefined) throw typedPatchError(request, sent, duplicate);
  const applied = { ...sent, metadata: { ...(sent.metadata as JsonObject) } };
  setIdentity(kind, info, applied);
  return {
    sent,
    versions: versionsOf(registry, request),
    applied,
    author: { manager, subresource: info.subresource },
    time: printTime(),
    force: info.query.flag('force'),
  };
}

function typedPatchError({ kind }: ResourceRequest, sent: JsonObject, why: string): ApiError {
  const { entry } = kind;
  const { namespace = '', name = '' } = metaOf(sent);
  const object = `${namespace}/${name}; ${entry.group}/${entry.version}, Kind=${entry.kind}`;
  return badRequest(`failed to create typed patch object (${object}): ${why}`);
}

/** The steps of an apply: merge the configuration, settle the field owners, admit the result like a client's object. */
function changeOf(request: ResourceRequest, configuration: Configuration): Write['change'] {
  let merged: Merged;
  let applied: Applied;
  return [
    (current) => {
      merged = mergedWith(request, configuration, current);
      return merged.object;
    },
    () => {
      applied = withOwners(request, configuration, merged);
      return applied.object;
    },
    () => admitApplied(request, applied),
  ];
}

/** The object merged with the configuration, before the field owners are settled. */
function mergedWith(request: ResourceRequest, configuration: Configuration, stored: JsonObject): Merged {
  const live = withoutOwners(request.kind, stored);
  const known = liveOwners(stored);
  const isNew = Object.keys(stored).length === 0;
  const { versions, time, author } = configuration;
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
  return typed(request, configuration.sent, () => mergeConfiguration({ ...configuration, live, owners }));
}

/** The merged object with its new field owners, without the fields that are no longer applied. */
function withOwners(request: ResourceRequest, { sent, author }: Configuration, merged: Merged): Applied {
  const applied = typed(request, sent, () => unlessConflicting(merged));
  return author.manager === 'kubectl' ? { ...applied, object: withLastApplied(applied.object, sent) } : applied;
}

/** Admits the result, in the stored version. */
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
    const remaining = application.author.manager === 'kubectl' ? toleratedConflicts(application, error) : error;
    if (remaining === undefined) return applyConfiguration({ ...application, force: true });
    throw new ApiError('Conflict', remaining.message, { details: { causes: remaining.causes } });
  }
}

/** Runs work that identifies list items by their keys, and reports missing keys. */
function typed<T>(request: ResourceRequest, sent: JsonObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnidentifiedItem) throw typedPatchError(request, sent, error.message);
    throw error;
  }
}

/** The write that creates the object if it does not exist. */
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
    conversions === undefined ? await applyInSteps(request, change, {}) : await conversions.replay(warnings, all);
  delete metaOf(object).resourceVersion;
  return creation(object, 'applied');
}

import { randomUUID } from 'node:crypto';
import {
  generatedName,
  metaOf,
  prepareCreate,
  prepareUpdate,
  serviceClaims,
  validateMeta,
  validateMetaUpdate,
} from '@tidegate/kinds';
import { type JsonObject, parseOwnJson, printTime } from '@tidegate/schema';
import { type FieldError, invalid } from '@tidegate/status';
import { ServiceAllocator, type ServiceRanges } from '../allocation/service-allocator.ts';
import { type Collections, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Draft, Stage } from './write.ts';

/** Gives a new object its identity: uid, time, and a generated name. It runs again if the name is taken. */
export const identity: Stage = {
  name: 'identity',
  applies: ({ write }) => write.operation === 'CREATE',
  run: ({ object }) => {
    const meta = metaOf(object);
    if (!meta.name && meta.generateName) meta.name = generatedName(meta.generateName);
    meta.uid = randomUUID();
    meta.creationTimestamp = printTime();
  },
};

/** Sets the fields that only the server, or only another path, may change: status, generation, defaults of the kind. */
export const preparation: Stage = {
  name: 'server fields of the kind',
  isHeavy: true,
  applies: ({ write }) => write.operation !== 'DELETE',
  run: ({ request: { kind, info, user }, object, old }) => {
    if (old === undefined) prepareCreate(kind.stored, object, user);
    else prepareUpdate(kind.stored, object, old, info.subresource);
  },
};

/** Proposes addresses and ports for a Service. The commit decides whether they are still free. */
export const allocation: Stage = {
  name: 'allocation',
  applies: (draft) => draft.allocator !== undefined,
  run: (draft) => {
    draft.allocator?.allocate(draft.object, draft.old);
  },
};

/** The allocator of addresses and ports for the object of a request; undefined where it needs none. */
export function allocatorFor(
  { ranges, collections }: { ranges: ServiceRanges; collections: Pick<Collections, 'latest'> },
  { kind, info }: ResourceRequest,
): ServiceAllocator | undefined {
  if (kind.storedAs !== 'services' || info.subresource !== '') return undefined;
  return new ServiceAllocator(ranges, async () => {
    const services = await collections.latest(kind);
    return itemsOf(services.snapshot().runs('')).flatMap(({ json }) => serviceClaims(parseOwnJson(json)));
  });
}

/** Checks the object by the rules of its kind. */
export const validation: Stage = {
  name: 'validation',
  isHeavy: true,
  applies: ({ write }) => write.operation !== 'DELETE',
  run: (draft) => {
    const { request, object, old } = draft;
    const errors = old === undefined ? creationErrors(draft) : updateErrors(draft, old);
    if (errors.length === 0) return;
    const { group, kind } = old === undefined ? request.kind.entry : request.kind.stored.entry;
    throw invalid({ group, kind, name: metaOf(old ?? object).name ?? '' }, errors);
  },
};

/** Warns of valid but questionable fields. The client gets these warnings also when a later stage rejects the write. */
export const warning: Stage = {
  name: 'warnings',
  isHeavy: true,
  applies: ({ request: { kind, info }, write, old }) =>
    kind.stored.entry.warn !== undefined &&
    write.operation !== 'DELETE' &&
    (old === undefined || info.subresource === ''),
  run: ({ request: { kind, warnings }, object, old }) => {
    warnings.push(...(kind.stored.entry.warn?.(object, old) ?? []));
  },
};

function creationErrors({ request: { kind }, object }: Draft): FieldError[] {
  const { entry } = kind.stored;
  return [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(kind.entry.validateCreate?.(object) ?? []),
    ...(kind.entry.validateWritten?.(object, undefined, '') ?? []),
  ];
}

function updateErrors({ request: { kind, info }, object }: Draft, old: JsonObject): FieldError[] {
  const { entry } = kind.stored;
  return [
    ...validateMetaUpdate(object, old),
    ...validateMeta(entry, object),
    ...(entry.validate?.(object, info.subresource) ?? []),
    ...(entry.validateUpdate?.(object, old, info.subresource) ?? []),
    ...(kind.entry.validateWritten?.(object, old, info.subresource) ?? []),
    ...(kind === kind.stored ? [] : (kind.entry.validateUpdate?.(object, old, info.subresource) ?? [])),
  ];
}

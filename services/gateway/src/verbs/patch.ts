import { fromStored } from '@tidegate/kinds';
import { copyOf, decodeJson, isJsonObject, type JsonObject, strategicMerge } from '@tidegate/schema';
import { badRequest, forbiddenField } from '@tidegate/status';
import { isApplied, JSON_PATCH, MERGE_PATCH, mediaType } from '../codec/media-types.ts';
import { applyJsonPatch, surplusOfOperations, surplusOfPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { inStep, type ResourceRequest, type VerbHandler } from '../request/resource-request.ts';
import { fieldValidation, refuseOption } from '../request/write-options.ts';
import { admitPatched, nameless, reportSurplus } from '../writing/admit-object.ts';
import { refuseManyValues } from '../writing/refuse-many-values.ts';
import type { Write } from '../writing/write.ts';
import { type ApplyPorts, apply } from './apply.ts';

/** PATCH: the Content-Type names the patch language. */
export const patch =
  ({ writer, registry }: ApplyPorts): VerbHandler =>
  async (request) => {
    if (isApplied(request.contentType)) return apply({ writer, registry }, request);
    return writer.write(request, await patching(request));
  };

/** The write of a patch. */
export async function patching(request: ResourceRequest): Promise<Write> {
  const { kind } = request;
  const { apply, pinned } = await inStep(request, () => readPatch(request));
  let before: JsonObject = {};
  const patched = (current: JsonObject) => {
    before = kind.stored === kind ? current : fromStored(kind, copyOf(current));
    return apply(before);
  };
  return { operation: 'UPDATE', change: [patched, (object) => admitPatched(request, object, before)], pinned };
}

interface Patch {
  readonly apply: (object: JsonObject) => JsonObject;
  /** the patch names a resourceVersion */
  readonly pinned: boolean;
}

/** Decodes a patch in the language of its Content-Type; unsupported types were rejected earlier. */
export function readPatch(request: ResourceRequest): Patch {
  const force = request.info.query.get('force');
  if (force !== undefined)
    throw refuseOption(request.info, [forbiddenField('force', 'may not be specified for non-apply patch')]);
  const type = mediaType(request.contentType);
  const level = fieldValidation(request);
  const { value: body, notes } = decodeJson(request.body);
  if (type === JSON_PATCH) {
    if (!Array.isArray(body)) throw badRequest('a JSON patch must be a list of operations');
    reportSurplus(request, level, surplusOfOperations(body, notes), { prefix: 'json patch ' });
    const pinned = body.some((operation) => operation?.path === '/metadata/resourceVersion');
    return { apply: named(request, (current) => applyJsonPatch(current, body)), pinned };
  }
  if (!isJsonObject(body)) throw badRequest('the patch must be one object');
  refuseManyValues(request.kind, body);
  reportSurplus(request, level, surplusOfPatch(body, notes));
  const pinned = isJsonObject(body.metadata) && typeof body.metadata.resourceVersion === 'string';
  const isMerge = type === MERGE_PATCH;
  const merge = (current: JsonObject) =>
    isMerge ? mergePatch(current, body) : strategicMerge(request.kind.schema, current, body);
  return { apply: named(request, merge), pinned };
}

/** Rejects a patch that removes the name or the metadata of the object. */
function named({ info }: ResourceRequest, apply: Patch['apply']): Patch['apply'] {
  return (current) => {
    const object = apply(current);
    const { metadata = null } = object;
    if (metadata === null || (isJsonObject(metadata) && !metadata.name)) throw nameless(info.name);
    return object;
  };
}

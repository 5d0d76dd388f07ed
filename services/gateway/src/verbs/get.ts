import { isConverted } from '@tidegate/kinds';
import { parseResourceVersion } from '@tidegate/revision';
import { badRequest, notFound } from '@tidegate/status';
import { isAsStored, objectAnswer } from '../codec/answer.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import { currentJson, keyOf } from '../objects/objects.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';

/** GET of one object: the most recent from the store; at "0" or a version from the mirror. */
export const get: VerbHandler = async (gateway, request) => {
  const { kind, info } = request;
  const key = keyOf(kind, info.namespace, info.name);
  const asked = info.query.get('resourceVersion') ?? '';
  if (asked === '')
    return shown(gateway, request, currentJson(await gateway.objects.get(kind, key.namespace, key.name)));

  const revision = parseResourceVersion(asked);
  if (revision === undefined)
    throw badRequest(`invalid resource version: ${JSON.stringify(asked)} is not a version of this server`);
  if (await gateway.mirrors.isTooLarge(kind.storedAs)) {
    await gateway.collections.reached(revision);
    return shown(gateway, request, currentJson(await gateway.objects.get(kind, key.namespace, key.name)));
  }
  const collection = await gateway.collections.atLeast(request.kind, revision);
  const item = collection.get(key.namespace, key.name);
  if (item === undefined && collection.isCorrupt(key)) {
    return shown(gateway, request, currentJson(await gateway.objects.get(kind, key.namespace, key.name)));
  }
  if (item === undefined) throw notFound(kind.entry, info.name);
  if (!isConverted(kind)) return shown(gateway, request, item.json);
  const [converted = item] = await gateway.conversions.read(kind, [item]);
  return shown(gateway, request, converted.json);
};

/** A large object is read and written anew in a step, where the client wants another form. */
function shown({ largeSteps }: Gateway, request: ResourceRequest, json: Buffer): Answer | Promise<Answer> {
  const steps = largeSteps.of(!isAsStored(request) && isLargeJson(json));
  return inStep({ steps }, () => objectAnswer(request, 200, json));
}

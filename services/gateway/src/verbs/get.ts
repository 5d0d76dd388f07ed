import { isConverted } from '@tidegate/kinds';
import { parseResourceVersion } from '@tidegate/revision';
import { badRequest, notFound } from '@tidegate/status';
import { objectAnswer } from '../codec/answer.ts';
import type { VerbHandler } from '../gateway.ts';
import { keyOf } from '../rules/commit.ts';
import { currentJson, fromStore } from '../rules/current.ts';
import { collectionAtLeast, reached } from '../rules/fresh-collection.ts';

/** GET of one object: the most recent from the store; at "0" or a version from the mirror. */
export const get: VerbHandler = async (gateway, request) => {
  const { kind, info } = request;
  const key = keyOf(kind, info.namespace, info.name);
  const asked = info.query.get('resourceVersion') ?? '';
  if (asked === '') return objectAnswer(request, 200, currentJson(await fromStore(gateway, request, key)));

  const revision = parseResourceVersion(asked);
  if (revision === undefined)
    throw badRequest(`invalid resource version: ${JSON.stringify(asked)} is not a version of this server`);
  if (await gateway.mirrors.isTooLarge(kind.storedAs)) {
    await reached(gateway, revision);
    return objectAnswer(request, 200, currentJson(await fromStore(gateway, request, key)));
  }
  const collection = await collectionAtLeast(gateway, request, revision);
  const item = collection.get(key.namespace, key.name);
  if (item === undefined && collection.isCorrupt(key)) {
    return objectAnswer(request, 200, currentJson(await fromStore(gateway, request, key)));
  }
  if (item === undefined) throw notFound(kind.entry, info.name);
  if (!isConverted(kind)) return objectAnswer(request, 200, item.json);
  const [shown = item] = await gateway.conversions.read(kind, [item]);
  return objectAnswer(request, 200, shown.json);
};

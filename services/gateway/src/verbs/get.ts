import { parseResourceVersion, revisionText } from '@tidegate/revision';
import { badRequest, notFound, resourceVersionTooLarge } from '@tidegate/status';
import { objectAnswer } from '../codec/answer.ts';
import type { VerbHandler } from '../gateway.ts';
import { keyOf } from '../rules/commit.ts';
import { currentJson, fromStore } from '../rules/current.ts';
import { FRESHNESS_WAIT_MS } from '../rules/list-options.ts';

/** GET of one object: the most recent from the store; at "0" or a version from the mirror. */
export const get: VerbHandler = async (gateway, request) => {
  const { kind, info } = request;
  const key = keyOf(kind, info.namespace, info.name);
  const asked = info.query.get('resourceVersion') ?? '';
  if (asked === '') return objectAnswer(request, 200, currentJson(await fromStore(gateway, request, key)));

  const revision = parseResourceVersion(asked);
  if (revision === undefined)
    throw badRequest(`invalid resource version: ${JSON.stringify(asked)} is not a version of this server`);
  const collection = await gateway.mirrors.collection(kind.storedAs, revision, FRESHNESS_WAIT_MS);
  if (collection === undefined) throw resourceVersionTooLarge(asked, revisionText(gateway.mirrors.through as never));
  const item = collection.get(key.namespace, key.name);
  if (item === undefined) throw notFound(kind.entry, info.name);
  return objectAnswer(request, 200, item.json);
};

import { isConverted, listSchema } from '@tidegate/kinds';
import { ApiError } from '@tidegate/status';
import { documentAnswer } from '../codec/answer.ts';
import { listedObject } from '../codec/list-shape.ts';
import { convertedPage, itemsOf } from '../conversion/converted-page.ts';
import type { VerbHandler } from '../gateway.ts';
import { deleteOptions } from '../rules/delete-options.ts';
import { latestCollection } from '../rules/fresh-collection.ts';
import { pageOf } from '../rules/list-page.ts';
import { refuseCorrupt } from '../rules/refuse-corrupt.ts';
import { selectionOf } from '../rules/selection.ts';
import { deleteObject } from './delete.ts';

/** How many deletions are under way at once. */
const PARALLEL = 32;

/** DELETE of a collection: each selected object is deleted as by a delete of its own. Not atomic. */
export const deleteCollection: VerbHandler = async (gateway, request) => {
  const { kind, info } = request;
  const options = deleteOptions(gateway, request);
  const selection = selectionOf(kind, info);
  const collection = await latestCollection(gateway, request);
  await refuseCorrupt(gateway, request, collection, selection.namespace);
  const snapshot = collection.snapshot();
  const wanted = { selection, after: undefined, limit: 0 };
  const converts = isConverted(kind);
  const page = converts
    ? await convertedPage(gateway.conversions, kind, { snapshot, ...wanted })
    : pageOf(snapshot, wanted);
  const found = itemsOf(page.runs);
  const deletable = found.filter((item) => !kind.entry.undeletable?.includes(item.name));
  const queue = deletable.values();
  const work = async () => {
    for (const item of queue) {
      const one = {
        ...request,
        info: { ...info, namespace: kind.entry.namespaced ? item.namespace : '', name: item.name },
      };
      await deleteObject(gateway, one, options).catch(ignoreNotFound);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const value = {
    kind: `${kind.entry.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: { resourceVersion: String(snapshot.revision) },
    items: deletable.map((item) => listedObject(kind, item)),
  };
  return documentAnswer(request, 200, { value, schema: listSchema(kind) });
};

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === 'NotFound') return undefined;
  throw error;
}

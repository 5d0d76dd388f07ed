import type { Item } from '@tidegate/collection';
import { ApiError } from '@tidegate/status';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { writeItems } from '../hooks/write-list.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type DeleteOptions, deleteOptions } from '../writing/delete-options.ts';
import { deletion } from '../writing/deletion.ts';

/** How many deletions are under way at once; of large objects, which come from the store to be looked at, it is one. */
const PARALLEL = 32;

/**
 * DELETE of a collection: the objects that a list with the same options shows, each deleted as by a delete of its own. With
 * a limit that is one page. Not atomic; the answer comes when nothing is under way any more.
 */
export const deleteCollection: VerbHandler = async (gateway, request, reply) => {
  const { kind } = request;
  const options = deleteOptions(gateway.gates, request);
  const { items, metadata } = await gateway.lists.items(request);
  const deletable = items.filter((item) => !kind.entry.undeletable?.includes(item.name));
  await deleteAll(gateway, request, { options, items: deletable });
  await writeItems(gateway.listWriting, request, reply, { items: deletable, metadata });
};

/** The first failure ends it: what is under way is waited for, and nothing more is begun. */
async function deleteAll(
  gateway: Gateway,
  request: ResourceRequest,
  { options, items }: { options: DeleteOptions; items: readonly Item[] },
): Promise<void> {
  const { kind, info } = request;
  const { large = [], small = [] } = Object.groupBy(items, ({ listed }) => (isLargeJson(listed) ? 'large' : 'small'));
  const rest = small.values();
  const failures: unknown[] = [];
  const work = async (queue: Iterable<Item>) => {
    for (const { namespace, name } of queue) {
      const one = { ...request, info: { ...info, namespace: kind.entry.namespaced ? namespace : '', name } };
      try {
        await gateway.writer.write(one, deletion(one, options));
      } catch (error) {
        if (error instanceof ApiError && error.reason === 'NotFound') continue;
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all([work(large), ...Array.from({ length: Math.min(PARALLEL, small.length) }, () => work(rest))]);
  if (failures.length > 0) throw failures[0];
}

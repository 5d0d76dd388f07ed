import type { Item } from '@tidegate/collection';
import { ApiError } from '@tidegate/status';
import { type ListWriting, writeItems } from '../answer/write-list.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import type { Lists } from '../reading/lists.ts';
import type { ResourceRequest, VerbHandler } from '../request/resource-request.ts';
import { type DeleteOptions, deleteOptions } from '../writing/delete-options.ts';
import { deletion } from '../writing/deletion.ts';
import type { WritePorts } from './create.ts';
import type { DeletePorts } from './delete.ts';

/** How many deletions are under way at once; of large objects, which come from the store to be looked at, it is one. */
const PARALLEL = 32;

interface DeleteCollectionPorts extends Pick<DeletePorts, 'gates' | 'writer'> {
  readonly lists: Pick<Lists, 'items'>;
  readonly listWriting: ListWriting;
}

/**
 * DELETE of a collection: the objects that a list with the same options shows, each deleted as by a delete of its own. With
 * a limit that is one page. Not atomic; the answer comes when nothing is under way any more.
 */
export const deleteCollection =
  (ports: DeleteCollectionPorts): VerbHandler =>
  async (request, reply) => {
    const { kind } = request;
    const options = deleteOptions(ports.gates, request);
    const { items, metadata } = await ports.lists.items(request);
    const deletable = items.filter((item) => !kind.entry.undeletable?.includes(item.name));
    await deleteAll(ports.writer, request, { options, items: deletable });
    await writeItems(ports.listWriting, request, reply, { items: deletable, metadata });
  };

/** The first failure ends it: what is under way is waited for, and nothing more is begun. */
async function deleteAll(
  writer: WritePorts['writer'],
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
        await writer.write(one, deletion(one, options));
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

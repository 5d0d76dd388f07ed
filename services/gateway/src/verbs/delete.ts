import type { Item } from '@tidegate/collection';
import type { FeatureGates } from '@tidegate/feature-gates';
import { ApiError, forbiddenObject, invalid, invalidValue, notFound } from '@tidegate/status';
import { deleteCorruptKind } from '@tidegate/wire';
import { type ListWriting, writeItems } from '../answer/write-list.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { operationId, type StoreSession } from '../clients/store-session.ts';
import { successAnswer } from '../codec/answer.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { keyOf } from '../objects/objects.ts';
import type { Lists } from '../reading/lists.ts';
import type { Answer, ResourceRequest, VerbHandler } from '../request/resource-request.ts';
import { type DeleteOptions, deleteOptions, IGNORE_READ_ERRORS } from '../writing/delete-options.ts';
import { deletion } from '../writing/deletion.ts';
import type { WritePorts } from './create.ts';

export interface DeletePorts extends WritePorts, DeleteCorruptPorts {
  readonly gates: Pick<FeatureGates, 'enabled'>;
}

/** DELETE of one object: it is removed, or marked as being deleted while something keeps it. */
export const deleteOne =
  (ports: DeletePorts): VerbHandler =>
  async (request) => {
    const { entry } = request.kind;
    if (entry.undeletable?.includes(request.info.name)) {
      throw forbiddenObject(entry, request.info.name, 'this namespace may not be deleted');
    }
    const options = deleteOptions(ports.gates, request);
    return options.ignoreReadErrors
      ? deleteCorrupt(ports, request)
      : ports.writer.write(request, deletion(request, options));
  };

export interface DeleteCorruptPorts {
  readonly authorizer: Pick<Authorizer, 'refusal'>;
  readonly store: Pick<StoreSession, 'deleteCorrupt'>;
  readonly mirrors: Pick<Mirrors, 'clear'>;
}

/**
 * DELETE with ignoreStoreReadErrorWithClusterBreakingPotential: removes an object that cannot be read, ignoring
 * finalizers. The store checks the stored bytes in the same call that removes them.
 */
export async function deleteCorrupt(ports: DeleteCorruptPorts, request: ResourceRequest): Promise<Answer> {
  const { kind, info, user, span } = request;
  const refused = await ports.authorizer.refusal(user, { ...info, verb: 'unsafe-delete-ignore-read-errors' });
  if (refused !== undefined)
    throw forbiddenObject(
      kind.entry,
      info.name,
      `not permitted to do "unsafe-delete-ignore-read-errors", reason: ${refused.message}`,
    );
  const key = keyOf(kind, info.namespace, info.name);
  const done = await ports.store.deleteCorrupt({
    key,
    operationId: operationId(),
    ...(span === undefined ? {} : { traceparent: span.traceparent }),
  });
  switch (done.kind) {
    case deleteCorruptKind.notFound:
      throw notFound(kind.entry, info.name);
    case deleteCorruptKind.readable:
      throw invalid({ group: kind.entry.group, kind: kind.entry.kind, name: info.name }, [
        invalidValue(
          IGNORE_READ_ERRORS,
          true,
          'is exclusively used to delete corrupt object(s), try again by removing this option',
        ),
      ]);
    case deleteCorruptKind.deleted:
      ports.mirrors.clear(key);
      return successAnswer(request, done.uid);
  }
}

/** The number of deletions at a time; for large objects, which must be read from the store, it is one. */
const PARALLEL = 32;

interface DeleteCollectionPorts extends Pick<DeletePorts, 'gates' | 'writer'> {
  readonly lists: Pick<Lists, 'items'>;
  readonly listWriting: ListWriting;
}

/**
 * DELETE of a collection: deletes the objects of a list with the same options, each like a single delete. With a limit
 * only one page is deleted. Not atomic; the answer is sent when all started deletions have finished.
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

/** After the first failure no further deletion is started; the started ones are awaited. */
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

import { type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { methodNotAllowed } from '@tidegate/status';
import { inStep, type VerbHandler } from '../request/resource-request.ts';
import { admitBody } from '../writing/admit-object.ts';
import type { Write } from '../writing/write.ts';
import type { Writer } from '../writing/writer.ts';

/** What all writing verbs need. */
export interface WritePorts {
  readonly writer: Pick<Writer, 'write'>;
}

/** POST to a collection. */
export const create =
  ({ writer }: WritePorts): VerbHandler =>
  async (request) => {
    const { info, kind } = request;
    refuseTerminatingKind(kind);
    if (info.name !== '' || (kind.entry.namespaced && info.namespace === '')) throw methodNotAllowed();
    const object = await inStep(request, () => admitBody(request));
    removeServerFields(object);
    return writer.write(request, creation(object));
  };

/** The write of a new object. */
export function creation(object: JsonObject, ownership: Write['ownership'] = 'compared'): Write {
  const { name } = metaOf(object);
  return { operation: 'CREATE', change: [() => object], pinned: false, ownership, ...(name ? { name } : {}) };
}

/** Rejects new objects of a kind whose definition is being deleted. */
function refuseTerminatingKind({ entry }: Kind): void {
  if (!entry.custom?.deleting) return;
  throw methodNotAllowed('create not allowed while custom resource definition is terminating');
}

/** Removes the fields that clients cannot set. */
export function removeServerFields(object: JsonObject): void {
  const meta = metaOf(object);
  for (const field of SERVER_FIELDS) delete meta[field];
}

const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

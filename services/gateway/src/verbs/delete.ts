import { forbiddenObject } from '@tidegate/status';
import type { VerbHandler } from '../gateway.ts';
import { deleteOptions } from '../writing/delete-options.ts';
import { deletion } from '../writing/deletion.ts';
import { deleteCorrupt } from './delete-corrupt.ts';

/** DELETE of one object: it is removed, or marked as being deleted while something holds it. */
export const deleteOne: VerbHandler = async (gateway, request) => {
  const { entry } = request.kind;
  if (entry.undeletable?.includes(request.info.name)) {
    throw forbiddenObject(entry, request.info.name, 'this namespace may not be deleted');
  }
  const options = deleteOptions(gateway.gates, request);
  return options.ignoreReadErrors
    ? deleteCorrupt(gateway, request)
    : gateway.writer.write(request, deletion(request, options));
};

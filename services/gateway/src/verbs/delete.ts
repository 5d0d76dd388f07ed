import type { FeatureGates } from '@tidegate/feature-gates';
import { forbiddenObject } from '@tidegate/status';
import type { VerbHandler } from '../request/resource-request.ts';
import { deleteOptions } from '../writing/delete-options.ts';
import { deletion } from '../writing/deletion.ts';
import type { WritePorts } from './create.ts';
import { type DeleteCorruptPorts, deleteCorrupt } from './delete-corrupt.ts';

export interface DeletePorts extends WritePorts, DeleteCorruptPorts {
  readonly gates: Pick<FeatureGates, 'enabled'>;
}

/** DELETE of one object: it is removed, or marked as being deleted while something holds it. */
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

import { metaOf } from '@tidegate/kinds';
import { copyOf, type JsonObject } from '@tidegate/schema';
import { conflict } from '@tidegate/status';
import { inStep, type ResourceRequest, type VerbHandler } from '../request/resource-request.ts';
import { admitBody } from '../writing/admit-object.ts';
import type { Write } from '../writing/write.ts';
import { creation, removeServerFields, type WritePorts } from './create.ts';

/** PUT of a whole object. */
export const update =
  ({ writer }: WritePorts): VerbHandler =>
  async (request) => {
    const { kind, info } = request;
    const object = await inStep(request, () => admitBody(request));
    const mayCreate = kind.entry.createsOnUpdate && info.subresource === '';
    return writer.write(request, {
      operation: 'UPDATE',
      change: [() => copyOf(object)],
      pinned: (metaOf(object).resourceVersion ?? '') !== '',
      ...(mayCreate ? { orCreate: () => creationOf(request, object) } : {}),
    });
  };

/** The write that creates the object, for kinds that a PUT may create. */
function creationOf({ kind, info }: ResourceRequest, object: JsonObject): Write {
  const made = copyOf(object);
  const { uid } = metaOf(made);
  if (uid) {
    throw conflict(kind.entry, info.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
  }
  removeServerFields(made);
  delete metaOf(made).resourceVersion;
  return creation(made);
}

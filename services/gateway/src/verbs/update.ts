import { metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { conflict } from '@tidegate/status';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { ownCreated } from '../ownership/own-fields.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { admitBody } from '../rules/admit-object.ts';
import { changeObject } from '../rules/change-object.ts';
import { createUnlessTaken, wipe } from './create.ts';

/** PUT of a whole object. */
export const update: VerbHandler = async (gateway, request) => {
  const { kind, info } = request;
  const object = await inStep(request, () => admitBody(request));
  const pinned = (metaOf(object).resourceVersion ?? '') !== '';
  return changeObject(gateway, request, {
    apply: () => structuredClone(object),
    pinned,
    ...(kind.entry.createsOnUpdate && info.subresource === ''
      ? { create: () => createInstead(gateway, request, object) }
      : {}),
  });
};

/** Some kinds are made by a PUT. undefined: somebody made it meanwhile. */
async function createInstead(
  gateway: Gateway,
  request: ResourceRequest,
  object: JsonObject,
): Promise<Answer | undefined> {
  const { kind, info } = request;
  const made = structuredClone(object);
  const { uid } = metaOf(made);
  if (uid) {
    throw conflict(kind.entry, info.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
  }
  wipe(made);
  delete metaOf(made).resourceVersion;
  await inStep(request, () => ownCreated(gateway, request, made));
  return createUnlessTaken(gateway, request, made);
}

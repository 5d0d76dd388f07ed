import { metaOf } from '@tidegate/kinds';
import { decodeObject } from '../codec/decode-body.ts';
import type { VerbHandler } from '../gateway.ts';
import { admitObject } from '../rules/admit-object.ts';
import { changeObject } from '../rules/change-object.ts';

/** PUT of a whole object. */
export const update: VerbHandler = async (gateway, request) => {
  const object = admitObject(request, decodeObject(request.kind.schema, request.body, request.contentType));
  const pinned = (metaOf(object).resourceVersion ?? '') !== '';
  return changeObject(gateway, request, { apply: () => structuredClone(object), pinned });
};

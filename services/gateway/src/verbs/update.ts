import { metaOf } from '@tidegate/kinds';
import type { VerbHandler } from '../gateway.ts';
import { admitBody } from '../rules/admit-object.ts';
import { changeObject } from '../rules/change-object.ts';

/** PUT of a whole object. */
export const update: VerbHandler = async (gateway, request) => {
  const object = admitBody(request);
  const pinned = (metaOf(object).resourceVersion ?? '') !== '';
  return changeObject(gateway, request, { apply: () => structuredClone(object), pinned });
};

import type { VerbHandler } from '../gateway.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list: VerbHandler = async ({ lists }, request, reply) => {
  await lists.write(request, reply);
  return undefined;
};

import type { VerbHandler } from '../gateway.ts';

/** GET with `watch`: the state first where it is wanted, then every change, until the time is over. */
export const watch: VerbHandler = async ({ watches }, request, reply) => {
  await watches.serve(request, reply);
  return undefined;
};

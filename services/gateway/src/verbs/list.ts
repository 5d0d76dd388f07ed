import type { Lists } from '../reading/lists.ts';
import type { VerbHandler } from '../request/resource-request.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list =
  ({ lists }: { lists: Pick<Lists, 'write'> }): VerbHandler =>
  async (request, reply) => {
    await lists.write(request, reply);
    return undefined;
  };

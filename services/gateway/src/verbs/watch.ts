import type { Watches } from '../reading/watches.ts';
import type { VerbHandler } from '../request/resource-request.ts';

/** GET with `watch`: the state first where it is wanted, then every change, until the time is over. */
export const watch =
  ({ watches }: { watches: Pick<Watches, 'serve'> }): VerbHandler =>
  async (request, reply) => {
    await watches.serve(request, reply);
    return undefined;
  };

import type { Configurations } from '../admission/configurations.ts';
import type { ApiServices } from '../aggregation/api-services.ts';
import { FirstObjects } from '../health/first-objects.ts';
import { addGatewayChecks, watchTrouble } from '../health/gateway-checks.ts';
import { StoreProbe } from '../health/store-probe.ts';
import type { Access } from './access.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';

export type Health = ReturnType<typeof composeHealth>;

/** The gateway's view of the parts that it needs. */
export function composeHealth({ kit }: Given, { store, mirrors }: Data, { roles }: Access) {
  const staleRoles = kit.faults.place('follow roles and bindings');
  const probe = new StoreProbe({
    head: () => store.head(),
    answeredAt: () => store.answeredAt,
    retry: kit.retries.loop('probe the stores', { firstMs: 100, longestMs: 500 }),
    seen: (head, askedAt) => staleRoles.track(roles.seen(head, askedAt)),
  });
  const firstObjects = new FirstObjects({
    exists: async (key) => (await store.read(key)).found,
    retry: kit.retries.loop('look for the first objects', { firstMs: 250, longestMs: 5000 }),
  });
  return {
    probe,
    firstObjects,
    components: () => [
      { name: 'store', trouble: probe.storeTrouble() ?? probe.postgresTrouble() },
      { name: 'watch', trouble: watchTrouble({ probe, mirrors, roles }) },
    ],
  };
}

interface Checked {
  readonly data: Data;
  readonly access: Access;
  readonly health: Health;
  readonly configurations: Configurations;
  readonly apiServices: ApiServices;
  readonly hasFlowControl: boolean;
}

/** The checks of the gateway's probes. */
export function addChecks({ kit }: Given, parts: Checked): void {
  const { data, access, health, configurations, apiServices, hasFlowControl } = parts;
  addGatewayChecks(kit.checks, {
    probe: health.probe,
    mirrors: data.mirrors,
    admission: configurations,
    roles: access.roles,
    hasFlowControl,
    customKinds: data.customKinds,
    apiServices,
    firstObjects: health.firstObjects,
    busTrouble: () => data.store.busTrouble,
  });
}

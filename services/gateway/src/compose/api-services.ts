import { ApiServices, localNames } from '../aggregation/api-services.ts';
import { RemoteTargets } from '../aggregation/remote-targets.ts';
import { writeVerdict } from '../aggregation/verdict.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';

type Patch = (request: ResourceRequest) => Promise<unknown>;

/** The aggregated API servers. */
export function composeApiServices({ config, kit, metrics }: Given, data: Data, patch: Patch): ApiServices {
  const { mirrors, registry, services, addresses, find, live } = data;
  const apiServices = new ApiServices({
    mirrors,
    localNames: localNames(registry),
    targets: new RemoteTargets(config, { services, addresses }),
    find,
    write: (apiService, verdict) => writeVerdict({ registry, patch }, apiService, verdict),
    warn: (error, words) => kit.log.warn({ err: error }, words),
    report: (name, isAvailable) => {
      if (isAvailable === undefined) metrics.unavailableApiServices.remove({ name });
      else metrics.unavailableApiServices.set({ name }, isAvailable ? 0 : 1);
    },
  });
  live.add(apiServices);
  return apiServices;
}

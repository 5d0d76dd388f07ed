import { type JsonObject, printTime } from '@tidegate/schema';

/** How the store names the resource whose objects say who serves a group version. */
export const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** Serves itself always: whoever could hand it to somebody else could never get it back. */
export const REGISTRATION_GROUP = 'apiregistration.k8s.io';

/** Where a group version stands among all: the higher of each comes first. */
export interface ApiPriority {
  readonly group: number;
  readonly version: number;
}

const GROUPS: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};

/** Where it is not the usual one. */
const VERSIONS: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};
const USUAL_VERSION = 15;
const CUSTOM: ApiPriority = { group: 1000, version: 100 };

/** Where a group version stands that is served here: the server's own before what users define. */
export function localPriority(group: string, version: string): ApiPriority {
  const own = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (own === undefined) return CUSTOM;
  return { group: own, version: VERSIONS[`${group}/${version}`] ?? USUAL_VERSION };
}

/** What is served here is there as long as anybody can ask. */
export function locallyAvailable(): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: printTime(),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

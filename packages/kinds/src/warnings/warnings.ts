import type { JsonObject } from '@tidegate/schema';
import type { KindRules } from '../kind-entry.ts';
import { Place } from '../validation/place.ts';
import {
  warnOfAccount,
  warnOfCapacity,
  warnOfDriver,
  warnOfNode,
  warnOfQuota,
  warnOfRuntimeClass,
  warnOfSecret,
  warnOfSlice,
  warnOfStorageClass,
  warnOfVolume,
  warnOfVolumeClaim,
} from './cluster.ts';
import { warnOfFinalizers } from './custom.ts';
import { warnOfEndpointSlice, warnOfEndpoints, warnOfIngress, warnOfNetworkPolicy, warnOfService } from './services.ts';
import type { Tell, Warnings } from './warn.ts';
import {
  warnOfCronJob,
  warnOfDaemonSet,
  warnOfJob,
  warnOfMaker,
  warnOfPodObject,
  warnOfPodTemplate,
  warnOfStatefulSet,
} from './workloads.ts';

/** By resource and group. */
const KINDS: Readonly<Record<string, Warnings>> = {
  pods: warnOfPodObject,
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfMaker,
  'deployments.apps': warnOfMaker,
  'replicasets.apps': warnOfMaker,
  'statefulsets.apps': warnOfStatefulSet,
  'daemonsets.apps': warnOfDaemonSet,
  'jobs.batch': warnOfJob,
  'cronjobs.batch': warnOfCronJob,
  services: warnOfService,
  endpoints: warnOfEndpoints,
  'endpointslices.discovery.k8s.io': warnOfEndpointSlice,
  'ingresses.networking.k8s.io': warnOfIngress,
  'networkpolicies.networking.k8s.io': warnOfNetworkPolicy,
  nodes: warnOfNode,
  persistentvolumes: warnOfVolume,
  persistentvolumeclaims: warnOfVolumeClaim,
  'storageclasses.storage.k8s.io': warnOfStorageClass,
  'csistoragecapacities.storage.k8s.io': warnOfCapacity,
  'csidrivers.storage.k8s.io': warnOfDriver,
  'runtimeclasses.node.k8s.io': warnOfRuntimeClass,
  'resourceslices.resource.k8s.io': warnOfSlice,
  resourcequotas: warnOfQuota,
  secrets: warnOfSecret,
  serviceaccounts: warnOfAccount,
};

/** How it is told what a client should know of an object that it wrote and that was taken. */
export function warner(name: string): KindRules['warn'] {
  const warnings = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return warnings && told(warnings);
}

export const warnOfCustom = told(warnOfFinalizers);

function told(warnings: Warnings) {
  return (object: JsonObject, old?: JsonObject): string[] => {
    const words: string[] = [];
    const tell: Tell = (one) => {
      if (words.length < MOST_WARNINGS) words.push(one);
      return words.length < MOST_WARNINGS;
    };
    warnings(new Place(undefined, '', object, []), tell, old);
    return words;
  };
}

/** An answer has room for a few dozen. */
const MOST_WARNINGS = 1000;

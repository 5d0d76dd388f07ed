import { type JsonObject, listOf } from '@tidegate/schema';
import { partOf } from '../rules/fields.ts';
import { procMount } from './baseline.ts';
import {
  type Check,
  containersOf,
  counted,
  distinct,
  type Finding,
  hasOwnUsers,
  isKnownSeccomp,
  isWindows,
  namesOf,
  plural,
  quoted,
  type Subject,
  seccompOf,
  seccompSetters,
  securityOf,
  setters,
} from './check.ts';

function privilegeEscalation({ spec }: Subject): Finding | undefined {
  const containers = containersOf(spec).filter((one) => securityOf(one).allowPrivilegeEscalation !== false);
  if (containers.length === 0) return undefined;
  const parts = counted('container', namesOf(containers));
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${parts} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities({ spec }: Subject): Finding | undefined {
  const listed = (container: JsonObject, field: string) => {
    const list = partOf(securityOf(container), 'capabilities')[field];
    return Array.isArray(list) ? list : [];
  };
  const added = (one: JsonObject) => listed(one, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
  const containers = containersOf(spec);
  const keeping = namesOf(containers.filter((one) => !listed(one, 'drop').includes('ALL')));
  const adding = containers.filter((one) => added(one).length > 0);
  const details = [];
  if (keeping.length > 0) {
    details.push(`${counted('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const what = quoted(distinct(adding.flatMap(added)));
    details.push(
      `${counted('container', namesOf(adding))} must not include ${what} in securityContext.capabilities.add`,
    );
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const VOLUMES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
];
const OTHER_VOLUMES = [
  ...['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd'],
  ...['flexVolume', 'cinder', 'cephfs', 'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte', 'azureDisk'],
  ...['photonPersistentDisk', 'portworxVolume', 'scaleIO', 'storageos'],
];

function volumes({ spec }: Subject): Finding | undefined {
  const bad = listOf(spec, 'volumes').filter((volume) => VOLUMES.every((name) => volume[name] === undefined));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map((volume) => OTHER_VOLUMES.find((name) => volume[name] !== undefined) ?? 'unknown'));
  const use = bad.length === 1 ? 'uses' : 'use';
  const what = plural('restricted volume type', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${counted('volume', namesOf(bad))} ${use} ${what} ${quoted(types)}`,
  };
}

const NON_ROOT = 'runAsNonRoot != true';

function nonRoot({ spec }: Subject): Finding | undefined {
  const isRoot = (object: JsonObject) => securityOf(object).runAsNonRoot === false;
  const containers = containersOf(spec);
  const parts = setters(isRoot(spec), containers.filter(isRoot));
  if (parts !== '') return { reason: NON_ROOT, detail: `${parts} must not set securityContext.runAsNonRoot=false` };
  if (securityOf(spec).runAsNonRoot === true) return undefined;
  const unset = namesOf(containers.filter((one) => securityOf(one).runAsNonRoot === undefined));
  if (unset.length === 0) return undefined;
  const all = counted('container', unset);
  return { reason: NON_ROOT, detail: `pod or ${all} must set securityContext.runAsNonRoot=true` };
}

function rootUser({ spec }: Subject): Finding | undefined {
  const isRoot = (object: JsonObject) => securityOf(object).runAsUser === 0;
  const parts = setters(isRoot(spec), containersOf(spec).filter(isRoot));
  return parts === '' ? undefined : { reason: 'runAsUser=0', detail: `${parts} must not set runAsUser=0` };
}

function seccomp({ spec }: Subject): Finding | undefined {
  const bad = seccompSetters(spec, (object) => seccompOf(object) !== undefined && !isKnownSeccomp(object));
  if (bad !== undefined || isKnownSeccomp(spec)) return bad;
  const unset = namesOf(containersOf(spec).filter((one) => seccompOf(one) === undefined));
  if (unset.length === 0) return undefined;
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${counted('container', unset)} ${what}` };
}

/** Skips a check for Windows pods, which lack the field. */
const unlessWindows =
  (evaluate: Check['evaluate']): Check['evaluate'] =>
  (pod) =>
    isWindows(pod.spec) ? undefined : evaluate(pod);

/** Skips a check for pods with their own user namespace: their root is not root on the node. */
const unlessOwnUsers =
  (evaluate: Check['evaluate']): Check['evaluate'] =>
  (pod) =>
    hasOwnUsers(pod.spec) ? undefined : evaluate(pod);

/** All checks of the restricted level, in the order of their findings, after those of the baseline. */
export const restricted: readonly Check[] = [
  { since: 8, until: 25, evaluate: privilegeEscalation },
  { since: 25, evaluate: unlessWindows(privilegeEscalation) },
  { since: 22, until: 25, evaluate: capabilities },
  { since: 25, evaluate: unlessWindows(capabilities) },
  { since: 35, evaluate: procMount },
  { since: 0, evaluate: volumes },
  { since: 0, until: 35, evaluate: nonRoot },
  { since: 35, evaluate: unlessOwnUsers(nonRoot) },
  { since: 23, until: 35, evaluate: rootUser },
  { since: 35, evaluate: unlessOwnUsers(rootUser) },
  { since: 19, until: 25, evaluate: seccomp },
  { since: 25, evaluate: unlessWindows(seccomp) },
];

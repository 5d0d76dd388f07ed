import type { JsonObject } from '@tidegate/schema';
import { BLOCK_SOURCES } from '../containers/mounts.ts';
import { checkPodResources, resourceClaims } from '../containers/resources.ts';
import { subdomainProblems } from '../objects/names.ts';
import { amounts, requestsWithinLimits } from '../rules/amount-checks.ts';
import {
  address,
  annotations,
  label,
  labels,
  named,
  oneOf,
  present,
  required,
  strictSubdomain,
  subdomain,
  uniqueBy,
  within,
} from '../rules/checks.ts';
import { once, type Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { labelKey, schedulingLists } from './scheduling.ts';
import { checkHostProcesses, checkOperatingSystem } from './security.ts';

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Checks between fields of a pod. */
const podSpec: Check = (spec) => {
  volumesOfMounts(spec);
  namesOfContainers(spec);
  hostPorts(spec.field('containers'));
  for (const one of spec.field('initContainers').items()) hostPorts(spec.as('initContainers', [one.value ?? null]));
  checkOwnDns(spec);
  checkHostFields(spec);
  if (spec.up(1).holder === undefined) checkGated(spec);
  checkPodResources(spec);
  const containers = LISTS.flatMap((list) => spec.field(list).items());
  checkOperatingSystem(spec, containers);
  checkHostProcesses(spec, containers);
};

function volumesOfMounts(spec: Place): void {
  const names = new Set<unknown>(spec.field('volumes').list.map((volume) => (volume as JsonObject).name));
  // the claims of a StatefulSet are volumes of its pods
  const templates = spec.up(2).field('volumeClaimTemplates');
  for (const template of templates.items()) names.add(template.field('metadata.name').value);
  for (const list of LISTS) {
    for (const container of spec.field(list).items()) {
      for (const field of ['volumeMounts', 'volumeDevices']) {
        for (const mount of container.field(field).items()) {
          if (!names.has(mount.object.name)) mount.field('name').notFound();
          else if (field === 'volumeDevices') blockSource(spec, mount);
        }
      }
    }
  }
}

/** The first item of each name. */
const volumesByName = once((spec) => {
  const volumes = new Map<unknown, Place>();
  for (const one of spec.field('volumes').items()) if (!volumes.has(one.object.name)) volumes.set(one.object.name, one);
  return volumes;
});

function blockSource(spec: Place, device: Place): void {
  const volume = volumesByName(spec).get(device.object.name);
  if (volume === undefined || BLOCK_SOURCES.some((source) => volume.has(source))) return;
  device.field('name').invalid('can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
}

function namesOfContainers(spec: Place): void {
  const seen = new Set<string>();
  for (const list of LISTS) {
    for (const container of spec.field(list).items()) {
      const name = container.field('name');
      if (name.text !== '' && seen.has(name.text)) name.duplicate();
      seen.add(name.text);
    }
  }
}

function hostPorts(containers: Place): void {
  const seen = new Set<string>();
  for (const container of containers.items()) {
    for (const one of container.field('ports').items()) {
      const { hostPort, hostIP = '', protocol } = one.object;
      if (!hostPort) continue;
      const taken = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(taken)) one.field('hostPort').duplicate(taken);
      seen.add(taken);
    }
  }
}

function checkOwnDns(spec: Place): void {
  if (spec.object.dnsPolicy !== 'None') return;
  const config = spec.field('dnsConfig');
  const servers = config.field('nameservers');
  if (config.value === undefined) config.required('must provide `dnsConfig` when `dnsPolicy` is None');
  else if (servers.isEmpty) servers.required('must provide at least one DNS nameserver when `dnsPolicy` is None');
}

const operatingSystem: Check = (place) => {
  const name = place.field('name').text;
  if (name === '') place.field('name').required();
  else if (!SYSTEMS.includes(name)) place.unsupported(SYSTEMS, name);
};
const SYSTEMS = ['linux', 'windows'];

/** Kubernetes reports these errors for the field `limits`. */
const overhead: Check = (place) => {
  const asLimits = place.up(1).as('overhead', { limits: place.value ?? {} });
  amounts('containers')(asLimits.field('limits'));
  requestsWithinLimits(asLimits);
};

const search: Check = (place) => {
  if (place.text === '.') return;
  const name = place.text.replace(/\.$/, '');
  if (name.length > 253) place.invalid('must be no more than 253 characters', name);
  if (!UNDERSCORED.test(name)) place.invalid(UNDERSCORED_PROBLEM, name);
};
const UNDERSCORED = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const UNDERSCORED_PROBLEM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2048;

const dns: Check = (config) => {
  const [servers, searches] = [config.field('nameservers'), config.field('searches')];
  if (servers.list.length > MAX_SERVERS) servers.invalid(`must not have more than ${MAX_SERVERS} nameservers`);
  if (searches.list.length > MAX_SEARCHES) searches.invalid(`must not have more than ${MAX_SEARCHES} search paths`);
  if (searches.list.join(' ').length > MAX_SEARCH_LENGTH) {
    searches.invalid(`must not have more than ${MAX_SEARCH_LENGTH} characters (including spaces) in the search list`);
  }
  for (const option of config.field('options').items()) {
    if (option.field('name').isEmpty) option.required('must not be empty');
  }
};

/** Fields that cannot be combined with the host's name, network and processes. */
function checkHostFields(spec: Place): void {
  const { hostNetwork, hostUsers, hostPID, hostIPC, shareProcessNamespace, setHostnameAsFQDN } = spec.object;
  if (hostNetwork === true) checkHostNetworkPorts(spec);
  if (hostUsers === false) {
    for (const [name, used] of Object.entries({ hostNetwork, HostPID: hostPID, HostIPC: hostIPC })) {
      if (used === true) spec.as(name, true).forbidden('when `hostUsers` is false');
    }
  }
  if (hostPID === true && shareProcessNamespace === true) {
    const share = spec.field('securityContext').as('shareProcessNamespace', true);
    share.invalid('ShareProcessNamespace and HostPID cannot both be enabled');
  }
  const name = spec.field('hostnameOverride');
  if (name.value === undefined) return;
  if (setHostnameAsFQDN === true) name.forbidden('may not be specified when setHostnameAsFQDN is true');
  if (hostNetwork === true) name.forbidden('may not be specified when hostNetwork is true');
  if (name.text.length > 64) name.tooLong('may not be more than 64 bytes');
  name.invalidFor(subdomainProblems(name.text));
}

function checkHostNetworkPorts(spec: Place): void {
  const isPod = spec.up(1).holder === undefined;
  for (const container of spec.field('containers').items()) {
    for (const one of container.field('ports').items()) {
      const { hostPort = 0, containerPort } = one.object;
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      one.field('hostPort').invalid('must match `containerPort` when `hostNetwork` is true');
    }
  }
}

function checkGated(spec: Place): void {
  const node = spec.field('nodeName');
  if (node.text !== '' && !spec.field('schedulingGates').isEmpty) {
    node.forbidden('cannot be set until all schedulingGates have been cleared');
  }
}

const PREEMPTION = oneOf('PreemptLowerPriority', 'Never');

const strictWhenPresent = named(subdomainProblems);

function exceptOfStatefulSets(check: Check): Check {
  return (place) => {
    if (!place.up(3).has('volumeClaimTemplates') && !place.up(3).has('podManagementPolicy')) check(place);
  };
}

export const podChecks: RuleTable = {
  'core.v1.PodTemplateSpec': {
    // these errors are reported for the template itself
    metadata: (place) => {
      labels(place.up(1).as('labels', place.object.labels));
      annotations(place.up(1).as('annotations', place.object.annotations));
    },
    spec: (place) => {
      const ephemeral = place.field('ephemeralContainers');
      if (!ephemeral.isEmpty) ephemeral.forbidden('ephemeral containers not allowed in pod template');
    },
  },
  'core.v1.PodSpec': {
    containers: required(),
    volumes: uniqueBy('name'),
    restartPolicy: [required(), oneOf('Always', 'OnFailure', 'Never')],
    terminationGracePeriodSeconds: present,
    activeDeadlineSeconds: within(1, 2 ** 31 - 1),
    dnsPolicy: [required(), oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None')],
    nodeSelector: labels,
    // a StatefulSet sets these itself
    hostname: exceptOfStatefulSets(label),
    subdomain: exceptOfStatefulSets(label),
    nodeName: subdomain,
    serviceAccountName: subdomain,
    priorityClassName: subdomain,
    runtimeClassName: strictWhenPresent,
    preemptionPolicy: (place) => (place.text === '' ? place.required() : PREEMPTION(place)),
    overhead,
    resourceClaims,
    ...schedulingLists,
    '': podSpec,
  },
  'core.v1.PodOS': { '': operatingSystem },
  'core.v1.HostAlias': { ip: address, 'hostnames[]': strictSubdomain },
  'core.v1.PodReadinessGate': { conditionType: labelKey },
  'core.v1.PodDNSConfig': { 'nameservers[]': address, 'searches[]': search, '': dns },
};

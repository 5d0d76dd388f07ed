import type { JsonObject } from '@tidegate/schema';
import { amounts } from '../amounts.ts';
import {
  address,
  annotations,
  label,
  labels,
  oneOf,
  present,
  required,
  subdomain,
  uniqueBy,
  userOrGroup,
  within,
} from '../checks.ts';
import type { Place } from '../place.ts';
import type { Check, RuleTable } from '../rules.ts';
import { labelKey } from './scheduling.ts';

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** What one part of a pod says of another. */
const together: Check = (spec) => {
  volumesOfMounts(spec);
  namesOfContainers(spec);
  for (const list of ['containers', 'initContainers'] as const) successThresholds(spec.field(list));
  for (const one of spec.field('initContainers').items()) initContainer(one);
  hostPorts(spec.field('containers'));
  ownDns(spec);
};

function volumesOfMounts(spec: Place): void {
  const names = new Set<unknown>(spec.field('volumes').list.map((volume) => (volume as JsonObject).name));
  // claims of a stateful set are volumes of its pods
  const templates = spec.up(2).field('volumeClaimTemplates');
  for (const template of templates.items()) names.add(template.field('metadata.name').value);
  for (const list of LISTS) {
    for (const container of spec.field(list).items()) {
      for (const field of ['volumeMounts', 'volumeDevices']) {
        for (const mount of container.field(field).items()) {
          if (!names.has(mount.object.name)) mount.field('name').notFound();
        }
      }
    }
  }
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

function successThresholds(list: Place): void {
  for (const container of list.items()) {
    for (const probe of ['livenessProbe', 'startupProbe']) {
      const threshold = container.field(probe).field('successThreshold');
      if (threshold.value !== undefined && threshold.value !== 1) threshold.invalid('must be 1');
    }
  }
}

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';

function initContainer(container: Place): void {
  if (container.object.restartPolicy === 'Always') return;
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container.has(name)) container.field(name).forbidden(ONLY_SIDECARS);
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

function ownDns(spec: Place): void {
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

const SYSCTL_FORM = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const sysctlName: Check = (place) => {
  if (place.text.length > 253 || !SYSCTL.test(place.text)) {
    place.invalid(`must have at most 253 characters and match regex ${SYSCTL_FORM}`);
  }
};

export const podRules: RuleTable = {
  'core.v1.PodTemplateSpec': {
    // these are said of the template itself
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
    hostname: label,
    subdomain: label,
    nodeName: subdomain,
    serviceAccountName: subdomain,
    priorityClassName: subdomain,
    runtimeClassName: subdomain,
    preemptionPolicy: oneOf('PreemptLowerPriority', 'Never'),
    overhead: amounts('containers'),
    '': together,
  },
  'core.v1.PodOS': { '': operatingSystem },
  'core.v1.PodSecurityContext': {
    runAsUser: userOrGroup,
    runAsGroup: userOrGroup,
    fsGroup: userOrGroup,
    'supplementalGroups[]': userOrGroup,
    fsGroupChangePolicy: oneOf('Always', 'OnRootMismatch'),
  },
  'core.v1.Sysctl': { name: [required(), sysctlName] },
  'core.v1.HostAlias': { ip: address, 'hostnames[]': subdomain },
  'core.v1.PodReadinessGate': { conditionType: labelKey },
  'core.v1.PodDNSConfig': { 'nameservers[]': address },
};

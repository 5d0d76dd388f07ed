import { amounts, requestsWithinLimits } from '../amounts.ts';
import {
  always,
  atLeast,
  descendingPath,
  evenEmpty,
  label,
  notNegative,
  oneOf,
  port,
  portName,
  portOrName,
  required,
  subdomain,
  uniqueBy,
  userOrGroup,
} from '../checks.ts';
import type { Place } from '../place.ts';
import type { Check, RuleTable, TypeRules } from '../rules.ts';

const container: TypeRules = {
  name: [required(), label],
  image: required(),
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  imagePullPolicy: [required(), oneOf('Always', 'IfNotPresent', 'Never')],
  ports: uniqueBy('name'),
  volumeMounts: always(mountPaths),
  resources: requestsWithinLimits,
};

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** Exactly one way of doing it. */
const oneHandler: Check = (place) => {
  const [first, ...others] = HANDLERS.filter((name) => place.has(name));
  if (first === undefined) place.required('must specify a handler type');
  for (const name of others) place.field(name).forbidden('may not specify more than 1 handler type');
};

const SUBPATHS = ['subPath', 'subPathExpr'] as const;

function mountPaths(place: Place): void {
  const seen = new Set<unknown>();
  for (const mount of place.items()) {
    const path = mount.field('mountPath');
    if (path.text !== '' && seen.has(path.text)) path.invalid('must be unique');
    seen.add(path.text);
    // these are said of the list, without the place in it
    for (const name of SUBPATHS) {
      if (mount.has(name)) descendingPath(place.as(name, mount.object[name]));
    }
    if (mount.has('subPath') && mount.has('subPathExpr')) {
      mount.field('subPathExpr').invalid('subPathExpr and subPath are mutually exclusive');
    }
  }
}

const PRINTABLE = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const variableName = evenEmpty((name) => (/^[ -<>-~]+$/.test(name) ? [] : [PRINTABLE]));

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const ONE_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

const oneSource: Check = (place) => {
  const sources = SOURCES.filter((name) => place.has(name)).length;
  if (sources === 0) place.invalid(ONE_SOURCE, '');
  else if (place.up(1).field('value').text !== '') place.invalid('may not be specified when `value` is not empty', '');
  else if (sources > 1) place.invalid('may not have more than one field specified at a time', '');
};

const oneEnvSource: Check = (place) => {
  const sources = ['configMapRef', 'secretRef'].filter((name) => place.has(name)).length;
  const list = place.up(1);
  if (sources === 0) list.invalid('must specify one of: `configMapRef` or `secretRef`', '');
  if (sources > 1) list.invalid('may not have more than one field specified at a time', '');
};

const FIELD_PATHS = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.labels',
  'metadata.annotations',
  'spec.nodeName',
  'spec.serviceAccountName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.hostNetwork',
  'spec.host',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
  'status.phase',
  'status.nominatedNodeName',
]);

const fieldPath: Check = (place) => {
  const path = place.text.replace(/\['.*'\]$/, '');
  if (!FIELD_PATHS.has(path)) {
    place.invalid(`error converting fieldPath: field label not supported: ${place.text}`);
  }
};

const headers: Check = (place) => {
  for (const item of place.items()) {
    const name = item.field('name').text;
    if (!/^[-A-Za-z0-9]+$/.test(name)) place.invalid(HEADER, name);
  }
};
const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

const contexts: Check = (place) => {
  const { privileged, allowPrivilegeEscalation, capabilities } = place.object as {
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    capabilities?: { add?: string[] };
  };
  if (allowPrivilegeEscalation !== false) return;
  if (privileged === true) place.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  if (capabilities?.add?.some((name) => name === 'CAP_SYS_ADMIN')) {
    place.invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
};

const localhostProfile: Check = (place) => {
  const profile = place.field('localhostProfile');
  const type = place.field('type').text;
  if (type === 'Localhost' && profile.isEmpty) profile.required('must be set when seccomp type is Localhost');
  if (type !== 'Localhost' && !profile.isEmpty) profile.invalid('can only be set when seccomp type is Localhost');
};

const usersAndGroups: TypeRules = { runAsUser: userOrGroup, runAsGroup: userOrGroup };

export const containerRules: RuleTable = {
  'core.v1.Container': container,
  'core.v1.EphemeralContainer': container,
  'core.v1.ContainerPort': {
    name: portName,
    containerPort: [required(), port],
    hostPort: (place) => {
      if (place.value !== 0) port(place);
    },
    protocol: [required(), oneOf('SCTP', 'TCP', 'UDP')],
  },
  'core.v1.VolumeMount': { name: required(), mountPath: required() },
  'core.v1.VolumeDevice': { name: required(), devicePath: required() },
  'core.v1.EnvVar': { name: [required(), variableName] },
  'core.v1.EnvVarSource': { '': oneSource },
  'core.v1.EnvFromSource': { '': oneEnvSource },
  'core.v1.ConfigMapKeySelector': { key: required() },
  'core.v1.SecretKeySelector': { key: required() },
  'core.v1.ConfigMapEnvSource': { name: [required(), subdomain] },
  'core.v1.SecretEnvSource': { name: [required(), subdomain] },
  'core.v1.ObjectFieldSelector': { apiVersion: required(), fieldPath: [required(), fieldPath] },
  'core.v1.ResourceFieldSelector': { resource: required() },
  'core.v1.ResourceRequirements': { limits: amounts('containers'), requests: amounts('containers') },
  'core.v1.Probe': {
    '': oneHandler,
    initialDelaySeconds: notNegative,
    timeoutSeconds: notNegative,
    periodSeconds: notNegative,
    successThreshold: notNegative,
    failureThreshold: notNegative,
    terminationGracePeriodSeconds: (place) => {
      if (Number(place.value) <= 0) place.invalid('must be greater than 0');
    },
  },
  'core.v1.LifecycleHandler': { '': oneHandler },
  'core.v1.ExecAction': { command: required() },
  'core.v1.HTTPGetAction': {
    path: required(),
    port: portOrName,
    scheme: oneOf('HTTP', 'HTTPS'),
    httpHeaders: headers,
  },
  'core.v1.TCPSocketAction': { port: portOrName },
  'core.v1.GRPCAction': { port },
  'core.v1.SleepAction': { seconds: atLeast(0) },
  'core.v1.SecurityContext': {
    ...usersAndGroups,
    procMount: oneOf('Default', 'Unmasked'),
    '': contexts,
  },
  'core.v1.SeccompProfile': {
    type: [required('type is required when seccompProfile is set'), oneOf('Localhost', 'RuntimeDefault', 'Unconfined')],
    '': localhostProfile,
  },
};

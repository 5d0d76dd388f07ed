import { isJsonObject, type Json, type JsonObject, setOwn } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';
import { below, type DefaultRules, defaulter, IfAbsent, NotZero } from './default-rules.ts';
import { podSpecDefaults, setHostPorts, setRequestsByLimits } from './pod.ts';
import { type SetDefaults, templateLabels, withTemplate } from './template.ts';

const service: DefaultRules = {
  'spec.type': 'ClusterIP',
  'spec.sessionAffinity': 'None',
  'spec.sessionAffinityConfig': ({ sessionAffinity }) =>
    sessionAffinity === 'ClientIP' ? { clientIP: { timeoutSeconds: 10800 } } : undefined,
  'spec.sessionAffinityConfig.clientIP': {},
  'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 10800,
  'spec.ports[].protocol': 'TCP',
  'spec.ports[].targetPort': new NotZero(({ port }) => port),
  'spec.internalTrafficPolicy': new IfAbsent(({ type }) => (type === 'ExternalName' ? undefined : 'Cluster')),
  'spec.externalTrafficPolicy': (spec) => (isReachedFromOutside(spec) ? 'Cluster' : undefined),
  'spec.allocateLoadBalancerNodePorts': ({ type }) => (type === 'LoadBalancer' ? true : undefined),
};

function isReachedFromOutside({ type, externalIPs }: JsonObject): boolean {
  if (type === 'ClusterIP') return Array.isArray(externalIPs) && externalIPs.length > 0;
  return type === 'NodePort' || type === 'LoadBalancer';
}

const setService = defaulter(service);

const secret = defaulter({ type: 'Opaque' });

/** Texts are for writing only: what is kept is their bytes. */
function encodeTexts(object: JsonObject): void {
  const { stringData } = object;
  delete object.stringData;
  if (!isJsonObject(stringData)) return;
  const data = (object.data ?? {}) as JsonObject;
  for (const [key, text] of Object.entries(stringData)) setOwn(data, key, Buffer.from(String(text)).toString('base64'));
  object.data = data;
}

const node = defaulter({ 'status.allocatable': ({ capacity }) => capacity });

/** Two names of one field: the older one is the first of the newer, and counts where they differ. */
function joinNetworks(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  const all = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : [];
  if (spec.podCIDR && spec.podCIDR !== all[0]) spec.podCIDRs = [spec.podCIDR];
  else if (all[0]) spec.podCIDR = all[0];
}

/** Of the secrets of an account only the names count. */
function nameSecrets(account: JsonObject): void {
  if (!Array.isArray(account.secrets)) return;
  account.secrets = account.secrets.map((secret) =>
    isJsonObject(secret) && secret.name !== undefined ? { name: secret.name } : {},
  );
}

/** Less than no time is as little as there is. */
function endsSoon(spec: Json | undefined): void {
  if (isJsonObject(spec) && Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
}

const pod = defaulter({ ...below('spec', podSpecDefaults), 'spec.enableServiceLinks': true });

/** A limit for containers follows from its upper end, and what is asked for by default from both ends. */
function limitRange({ spec }: JsonObject): void {
  const limits = isJsonObject(spec) && Array.isArray(spec.limits) ? spec.limits.filter(isJsonObject) : [];
  for (const limit of limits) {
    if (limit.type !== 'Container') continue;
    const bound = (name: string) => (limit[name] ?? {}) as JsonObject;
    setSome(limit, 'default', { ...bound('max'), ...bound('default') });
    setSome(limit, 'defaultRequest', { ...bound('min'), ...bound('default'), ...bound('defaultRequest') });
  }
}

function setSome(holder: JsonObject, name: string, amounts: JsonObject): void {
  if (Object.keys(amounts).length > 0) holder[name] = amounts;
}

/** A claim can be filled from another claim or a snapshot; what else stands under the older name is not kept. */
function dropOddSource(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  const { dataSource, dataSourceRef } = spec;
  // sources in other namespaces are not there yet
  if (isJsonObject(dataSourceRef) && dataSourceRef.namespace) delete spec.dataSourceRef;
  if (!isJsonObject(dataSource) || spec.dataSourceRef !== undefined) return;
  const { apiGroup = '', kind } = dataSource;
  const known =
    apiGroup === '' ? kind === 'PersistentVolumeClaim' : apiGroup === SNAPSHOTS && kind === 'VolumeSnapshot';
  if (!known) delete spec.dataSource;
}
const SNAPSHOTS = 'snapshot.storage.k8s.io';

const claim = defaulter({
  'spec.volumeMode': new IfAbsent('Filesystem'),
  // two names of one field, but for sources in other namespaces
  'spec.dataSourceRef': ({ dataSource }) => structuredClone(dataSource),
  'spec.dataSource': ({ dataSourceRef }) =>
    isJsonObject(dataSourceRef) && !dataSourceRef.namespace ? structuredClone(dataSourceRef) : undefined,
  'status.phase': 'Pending',
});

export const coreDefaults: Readonly<Record<string, SetDefaults>> = {
  endpoints: defaulter({ 'subsets[].ports[].protocol': 'TCP' }),
  limitranges: limitRange,
  nodes: (object) => {
    joinNetworks(object.spec);
    node(object);
  },
  persistentvolumeclaims: (object) => {
    dropOddSource(object.spec);
    claim(object);
  },
  persistentvolumes: defaulter({
    'spec.persistentVolumeReclaimPolicy': 'Retain',
    'spec.volumeMode': new IfAbsent('Filesystem'),
    'spec.hostPath.type': '',
    'status.phase': 'Pending',
  }),
  pods: (object) => {
    pod(object);
    endsSoon(object.spec);
    setHostPorts(object.spec);
    setRequestsByLimits(object.spec);
  },
  podtemplates: defaulter(below('template.spec', podSpecDefaults)),
  replicationcontrollers: (object) => {
    withTemplate({})(object);
    const labels = templateLabels(object);
    if (labels === undefined || !isJsonObject(object.spec)) return;
    object.spec.selector ??= { ...labels };
    metaOf(object).labels ??= { ...labels };
  },
  secrets: (object) => {
    secret(object);
    encodeTexts(object);
  },
  serviceaccounts: nameSecrets,
  services: (object) => {
    // without affinity there is nothing to configure
    if (isJsonObject(object.spec) && (object.spec.sessionAffinity || 'None') === 'None') {
      delete object.spec.sessionAffinityConfig;
    }
    setService(object);
  },
};

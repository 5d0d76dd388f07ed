import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import {
  Always,
  below,
  belowEach,
  type DefaultRules,
  defaulter,
  IfAbsent,
  NotZero,
  type SetDefaults,
} from '../rules/default-rules.ts';

const MODE = 0o644;

const probe: DefaultRules = {
  timeoutSeconds: new NotZero(1),
  periodSeconds: new NotZero(10),
  successThreshold: new NotZero(1),
  failureThreshold: new NotZero(3),
};
const httpGet: DefaultRules = { path: '/', scheme: 'HTTP' };

const container: DefaultRules = {
  imagePullPolicy: ({ image }) => pullPolicy(String(image ?? '')),
  'ports[].protocol': 'TCP',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...belowEach(['livenessProbe', 'readinessProbe', 'startupProbe'], {
    ...probe,
    ...below('httpGet', httpGet),
    'grpc.service': '',
  }),
  ...belowEach(['lifecycle.postStart.httpGet', 'lifecycle.preStop.httpGet'], httpGet),
  'env[].valueFrom.fieldRef.apiVersion': 'v1',
  'env[].valueFrom.resourceFieldRef.divisor': '0',
};

const volumes: DefaultRules = {
  'volumes[].emptyDir': (volume) => (Object.keys(volume).length === 1 ? {} : undefined),
  ...belowEach(['volumes[].secret', 'volumes[].configMap', 'volumes[].downwardAPI', 'volumes[].projected'], {
    defaultMode: MODE,
  }),
  'volumes[].downwardAPI.items[].fieldRef.apiVersion': 'v1',
  'volumes[].projected.sources[].downwardAPI.items[].fieldRef.apiVersion': 'v1',
  'volumes[].downwardAPI.items[].resourceFieldRef.divisor': '0',
  'volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef.divisor': '0',
  'volumes[].projected.sources[].serviceAccountToken.expirationSeconds': 3600,
  'volumes[].hostPath.type': '',
  'volumes[].ephemeral.volumeClaimTemplate.spec.volumeMode': new IfAbsent('Filesystem'),
  'volumes[].azureDisk.readOnly': false,
  'volumes[].image.pullPolicy': ({ reference }) => pullPolicy(String(reference ?? '')),
  'volumes[].iscsi.iscsiInterface': 'default',
  'volumes[].rbd.pool': 'rbd',
  'volumes[].rbd.user': 'admin',
  'volumes[].rbd.keyring': '/etc/ceph/keyring',
  'volumes[].scaleIO.storageMode': 'ThinProvisioned',
  'volumes[].scaleIO.fsType': 'xfs',
};

/** The defaults of a pod's spec, also in templates. */
export const podSpecDefaults: DefaultRules = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  // two names of the same field
  serviceAccountName: ({ serviceAccount }) => serviceAccount || undefined,
  serviceAccount: new Always(({ serviceAccountName }) => serviceAccountName || undefined),
  ...belowEach(['containers[]', 'initContainers[]', 'ephemeralContainers[]'], container),
  ...volumes,
};

/** With hostNetwork, container ports are host ports. */
function setHostPorts(spec: Json | undefined): void {
  if (!isJsonObject(spec) || spec.hostNetwork !== true) return;
  for (const list of [spec.containers, spec.initContainers]) {
    for (const one of (list ?? []) as JsonObject[]) {
      for (const port of (one.ports ?? []) as JsonObject[]) port.hostPort ??= port.containerPort as Json;
    }
  }
}

/** Requests default to the limits. */
function setRequestsByLimits(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  for (const list of [spec.containers, spec.initContainers]) {
    for (const { resources } of (list ?? []) as JsonObject[]) {
      if (!isJsonObject(resources) || !isJsonObject(resources.limits)) continue;
      resources.requests = { ...resources.limits, ...((resources.requests ?? {}) as JsonObject) };
    }
  }
}

/** The reference of an image: host with optional port, path, tag. */
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST = '[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?(?::[0-9]+)?';
const IMAGE = new RegExp(`^(?=.{1,255}$)(?:${HOST}/)?${PART}(?:/${PART})*(?::\\w[-\\w.]{0,127})?$`);

/** The pull policy of an image: images without tag and digest, or with the tag latest, are always pulled. */
function pullPolicy(image: string): string {
  if (image.includes('@') || !IMAGE.test(image)) return 'IfNotPresent';
  const name = image.slice(image.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  return colon < 0 || name.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The defaults of a kind with a pod template. */
export function withTemplate(rules: DefaultRules): SetDefaults {
  return defaulter({ ...rules, ...below('spec.template.spec', podSpecDefaults) });
}

/** The labels of an object's pod template; undefined without labels. */
export function templateLabels(object: JsonObject): Record<string, string> | undefined {
  const labels = ((templateOf(object)?.metadata ?? {}) as JsonObject).labels;
  return isJsonObject(labels) && Object.keys(labels).length > 0 ? (labels as Record<string, string>) : undefined;
}

function templateOf(object: JsonObject): JsonObject | undefined {
  const template = isJsonObject(object.spec) ? object.spec.template : undefined;
  return isJsonObject(template) ? template : undefined;
}

/** A negative grace period becomes one second. */
function raiseGracePeriod(spec: Json | undefined): void {
  if (isJsonObject(spec) && Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
}

const setPod = defaulter({ ...below('spec', podSpecDefaults), 'spec.enableServiceLinks': true });

export const defaults: ByResource<SetDefaults> = {
  pods: (object) => {
    setPod(object);
    raiseGracePeriod(object.spec);
    setHostPorts(object.spec);
    setRequestsByLimits(object.spec);
  },
};

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { Family } from './ranges.ts';

export interface ServicePort {
  name?: string;
  protocol?: string;
  port?: number;
  nodePort?: number;
}

/** The addresses and ports in the spec of a Service. */
export interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: Family[];
  ipFamilyPolicy?: string;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  healthCheckNodePort?: number;
  internalTrafficPolicy?: string;
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  externalIPs?: string[];
}

export function specOf(service: JsonObject): ServiceSpec {
  if (!isJsonObject(service.spec)) service.spec = {};
  return service.spec as ServiceSpec;
}

export function needsAddress({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName';
}

export function isHeadless({ clusterIP, clusterIPs }: ServiceSpec): boolean {
  return clusterIP === 'None' || clusterIPs?.[0] === 'None';
}

export function drawsNodePorts({ type, allocateLoadBalancerNodePorts: allocates }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocates !== false);
}

export function needsHealthPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** clusterIP and clusterIPs[0] are the same address: a client that sets one of them means both. */
export function joinAddressFields(spec: ServiceSpec, old?: ServiceSpec): void {
  if (old === undefined) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const same = isDeepStrictEqual(spec.clusterIPs ?? [], old.clusterIPs ?? []);
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '')) {
    if (old.clusterIPs?.length && !spec.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  } else if (same) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

/** An update without the allocated values keeps them, so that a manifest can be applied again. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsAddress(old) && needsAddress(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (drawsNodePorts(old) && drawsNodePorts(spec)) {
    const used = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    const byName = new Map((old.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? '');
      if (!port.nodePort && before && !used.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthPort(old) && needsHealthPort(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** A change of type releases the values that the new type does not use, unless the client changed them. */
export function dropUnneeded(spec: ServiceSpec, old: ServiceSpec): void {
  const same = (field: keyof ServiceSpec) => isDeepStrictEqual(spec[field], old[field]);
  if (needsAddress(old) && !needsAddress(spec)) {
    if (same('clusterIPs')) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same('ipFamilies')) delete spec.ipFamilies;
    if (same('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  const nodePorts = ({ ports = [] }: ServiceSpec) => ports.map(({ nodePort }) => nodePort ?? 0);
  if (drawsNodePorts(old) && !drawsNodePorts(spec) && isDeepStrictEqual(nodePorts(spec), nodePorts(old))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthPort(old) && !needsHealthPort(spec) && same('healthCheckNodePort')) delete spec.healthCheckNodePort;
  const balanced = old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer';
  if (balanced && same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
  if (balanced && same('loadBalancerClass')) delete spec.loadBalancerClass;
  const external = ({ type, externalIPs = [] }: ServiceSpec) =>
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0);
  if (external(old) && !external(spec) && same('externalTrafficPolicy')) delete spec.externalTrafficPolicy;
  if (!needsAddress(spec)) delete spec.internalTrafficPolicy;
}

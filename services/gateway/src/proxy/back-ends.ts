import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { Addresses } from './addresses.ts';
import type { BackEnd } from './back-end.ts';
import { type KubeletConfig, Kubelets } from './kubelets.ts';
import { podOf, read } from './pod-node.ts';
import { schemeNamePort } from './scheme-name-port.ts';
import { serviceAddress } from './service-address.ts';

export interface BackEndConfig extends KubeletConfig {
  readonly proxyAllowAddresses: readonly string[];
}

const CONNECT_MS = 30_000;
const PORTS = { '': 80, http: 80, https: 443 };

/** Everything that requests are sent on to. */
export class BackEnds {
  readonly #addresses: Addresses;
  readonly kubelets: Kubelets;

  constructor(config: BackEndConfig) {
    this.#addresses = new Addresses(config.proxyAllowAddresses);
    this.kubelets = new Kubelets(config, this.#addresses);
  }

  /** What is behind `pods/`, `services/` or `nodes/[SCHEME:]NAME[:PORT]/proxy`. */
  behind(gateway: Gateway, request: ResourceRequest): Promise<BackEnd> {
    switch (request.info.resource) {
      case 'nodes':
        return this.#node(gateway, request);
      case 'services':
        return this.#service(gateway, request);
      default:
        return this.#pod(gateway, request);
    }
  }

  async #pod(gateway: Gateway, request: ResourceRequest): Promise<BackEnd> {
    const { scheme, name, port } = schemeNamePort(request.info.name, 'pod');
    const { spec, status } = await podOf(gateway, request, name);
    const ip = isJsonObject(status) ? String(status.podIP ?? '') : '';
    const wanted = port === '' ? (firstPort(spec) ?? PORTS[scheme]) : portNumber(port);
    return this.#plain(scheme, this.#addresses.judged(ip), ip, wanted);
  }

  async #service(gateway: Gateway, request: ResourceRequest): Promise<BackEnd> {
    const wanted = schemeNamePort(request.info.name, 'service');
    const { ip, port } = await serviceAddress(gateway, request, wanted);
    return this.#plain(wanted.scheme, this.#addresses.judged(ip), ip, port);
  }

  /** The kubelet, unless another port of the node is asked for, which gets no credentials. */
  async #node(gateway: Gateway, request: ResourceRequest): Promise<BackEnd> {
    const { scheme, name, port } = schemeNamePort(request.info.name, 'node');
    const kubelet = await this.kubelets.of(await read(gateway, request, { resource: 'nodes', namespace: '', name }));
    if (port === '' || port === String(kubelet.port)) return kubelet;
    return this.#plain(scheme, kubelet.address, kubelet.host, portNumber(port));
  }

  /** Pods have certificates of anybody, as in kube-apiserver: they are not looked at. */
  #plain(scheme: '' | 'http' | 'https', address: string, host: string, port: number): BackEnd {
    const tls = scheme === 'https' ? { rejectUnauthorized: false } : undefined;
    return { address, host, port, tls, connectMs: CONNECT_MS };
  }
}

function firstPort(spec: unknown): number | undefined {
  const containers = isJsonObject(spec) && Array.isArray(spec.containers) ? spec.containers.filter(isJsonObject) : [];
  const ports = containers.flatMap(({ ports: all }) => (Array.isArray(all) ? all.filter(isJsonObject) : []));
  return ports.map(({ containerPort }: JsonObject) => Number(containerPort))[0];
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

import type { RequestInfo } from '@tidegate/request-info';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import type { Backend } from './backend.ts';
import { type KubeletConfig, Kubelets } from './kubelets.ts';
import { type ServicePorts, schemeNamePort, serviceAddress } from './service-address.ts';

export interface BackendConfig extends KubeletConfig {
  readonly proxyAllowAddresses: readonly string[];
}

const CONNECT_MS = 30_000;
const PORTS = { '': 80, http: 80, https: 443 };

type Place = Pick<RequestInfo, 'resource' | 'namespace' | 'name'>;

/** Finds the pods, Services and nodes to which requests are forwarded. */
export class Backends {
  readonly #addresses: AllowedAddresses;
  readonly #kubelets: Kubelets;
  readonly #ports: ServicePorts;

  constructor(config: BackendConfig, ports: ServicePorts) {
    this.#ports = ports;
    this.#addresses = new AllowedAddresses(config.proxyAllowAddresses);
    this.#kubelets = new Kubelets(config, this.#addresses);
  }

  /** The backend of `pods/`, `services/` or `nodes/[SCHEME:]NAME[:PORT]/proxy`. */
  behind({ resource, namespace, name }: Place): Promise<Backend> {
    switch (resource) {
      case 'nodes':
        return this.#node(name);
      case 'services':
        return this.#service(namespace, name);
      default:
        return this.#pod(namespace, name);
    }
  }

  /** The kubelet of a node, with this server's client certificate. */
  async kubelet(node: string, { verified = true } = {}): Promise<Backend> {
    return this.#kubelets.of(await this.#ports.objects.core('nodes', '', node), { verified });
  }

  async #pod(namespace: string, asked: string): Promise<Backend> {
    const { scheme, name, port } = schemeNamePort(asked, 'pod');
    const { spec, status } = await this.#ports.objects.core('pods', namespace, name);
    const ip = isJsonObject(status) ? String(status.podIP ?? '') : '';
    const wanted = port === '' ? (firstPort(spec) ?? PORTS[scheme]) : portNumber(port);
    return this.#plain(scheme, this.#addresses.checked(ip), ip, wanted);
  }

  async #service(namespace: string, asked: string): Promise<Backend> {
    const wanted = schemeNamePort(asked, 'service');
    const { ip, port } = await serviceAddress(this.#ports, namespace, wanted);
    return this.#plain(wanted.scheme, this.#addresses.checked(ip), ip, port);
  }

  /** The kubelet; another port of the node gets no credentials. */
  async #node(asked: string): Promise<Backend> {
    const { scheme, name, port } = schemeNamePort(asked, 'node');
    const kubelet = await this.kubelet(name);
    if (port === '' || port === String(kubelet.port)) return kubelet;
    return this.#plain(scheme, kubelet.address, kubelet.host, portNumber(port));
  }

  /** The certificates of pods are not verified, as in kube-apiserver. */
  #plain(scheme: '' | 'http' | 'https', address: string, host: string, port: number): Backend {
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

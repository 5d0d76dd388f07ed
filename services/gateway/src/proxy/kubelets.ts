import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest } from '@tidegate/status';
import type { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import type { Backend } from './backend.ts';

export interface KubeletConfig {
  readonly kubeletClientCertificate: string;
  readonly kubeletClientKey: string;
  readonly kubeletCertificateAuthority: string;
  readonly kubeletPreferredAddressTypes: readonly string[];
  readonly kubeletTimeout: number;
}

const USUAL_PORT = 10_250;

/**
 * Resolves the kubelets of nodes, with this server's client certificate. The files are read for each connection, so
 * that renewed certificates apply at once. Without a certificate authority the kubelets' certificates are not verified,
 * as in kube-apiserver.
 */
export class Kubelets {
  readonly #config: KubeletConfig;
  readonly #addresses: AllowedAddresses;

  constructor(config: KubeletConfig, addresses: AllowedAddresses) {
    this.#config = config;
    this.#addresses = addresses;
    // a missing file fails at start-up, and not with the first request
    for (const file of this.#files()) if (file !== '') readFileSync(file);
  }

  async of(node: JsonObject, { verified = true } = {}): Promise<Backend> {
    const host = addressOf(node, this.#config.kubeletPreferredAddressTypes);
    return {
      host,
      address: await this.#addresses.of(host),
      port: portOf(node),
      tls: await this.#tls(verified),
      connectMs: this.#config.kubeletTimeout,
    };
  }

  #files(): string[] {
    const { kubeletClientCertificate, kubeletClientKey, kubeletCertificateAuthority } = this.#config;
    return [kubeletClientCertificate, kubeletClientKey, kubeletCertificateAuthority];
  }

  async #tls(verified: boolean): Promise<ConnectionOptions> {
    const [cert, key, ca] = await Promise.all(
      this.#files().map((file) => (file === '' ? undefined : readFile(file, 'utf8'))),
    );
    return {
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
      ...(verified && ca !== undefined ? { ca } : { rejectUnauthorized: false }),
    };
  }
}

function addressOf({ status }: JsonObject, preferred: readonly string[]): string {
  const all = isJsonObject(status) && Array.isArray(status.addresses) ? status.addresses.filter(isJsonObject) : [];
  for (const type of preferred) {
    const found = all.find((address) => address.type === type);
    if (typeof found?.address === 'string') return found.address;
  }
  const known = all.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw new ApiError('', `no preferred addresses found; known addresses: [${known}]`);
}

function portOf({ status }: JsonObject): number {
  const endpoint = at(at(status, 'daemonEndpoints'), 'kubeletEndpoint');
  const port = at(endpoint, 'Port');
  return typeof port === 'number' && port > 0 ? port : USUAL_PORT;
}

function at(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** The name of the pod's node, empty while it has none. */
export function nodeOf({ spec }: JsonObject): string {
  return isJsonObject(spec) && typeof spec.nodeName === 'string' ? spec.nodeName : '';
}

/** The requested container, or the only one. */
export function containerOf({ spec }: JsonObject, pod: string, asked: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (spec ?? {}) as Record<string, never>;
  const all = [initContainers, containers, ephemeralContainers].map(namesOf);
  if (asked !== '') {
    if (all.flat().includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod}`);
  }
  const [only, ...others] = all[1] as string[];
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${pod}`);
  if (others.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${all.flat().join(' ')}]`);
}

function namesOf(containers: unknown): string[] {
  return Array.isArray(containers) ? containers.filter(isJsonObject).map(({ name }) => String(name)) : [];
}

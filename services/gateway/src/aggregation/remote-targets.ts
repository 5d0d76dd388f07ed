import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { OptionError } from '@tidegate/options';
import { trusting } from '@tidegate/service-kit';
import type { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import type { ServiceTarget, ServiceTargets } from '../callouts/service-targets.ts';
import type { Backend } from '../proxy/backend.ts';
import type { RemoteService } from './api-service.ts';

export interface RemoteTargetsConfig {
  readonly proxyClientCertFile: string;
  readonly proxyClientKeyFile: string;
  readonly aggregatedServiceAddresses: readonly string[];
}

/**
 * Resolves the backends of remote group versions, with this server's client certificate. The files are read for each
 * connection, so that renewed certificates apply at once.
 *
 * Invariant: the checked address is the one that is connected to, even when the name resolves differently later.
 */
export class RemoteTargets {
  readonly #files: readonly [cert: string, key: string] | undefined;
  readonly #configured: ReadonlyMap<string, ServiceTarget>;
  readonly #services: ServiceTargets;
  readonly #addresses: AllowedAddresses;

  constructor(
    config: RemoteTargetsConfig,
    { services, addresses }: { services: ServiceTargets; addresses: AllowedAddresses },
  ) {
    this.#services = services;
    this.#addresses = addresses;
    this.#configured = configuredAddresses(config.aggregatedServiceAddresses);
    this.#files = filesOf(config);
    // a missing file fails at start-up, and not with the first request
    for (const file of this.#files ?? []) readFileSync(file);
  }

  /** Whether an option sets the address of this Service. */
  isConfigured(service: RemoteService): boolean {
    return this.#configured.has(keyOf(service));
  }

  async backend(service: RemoteService, connectMs: number): Promise<Backend> {
    const target = this.#configured.get(keyOf(service)) ?? (await this.#services.find(service));
    return {
      address: await this.#addresses.of(target.host),
      port: target.port,
      host: `${service.name}.${service.namespace}.svc`,
      tls: await this.#tls(service),
      connectMs,
    };
  }

  async #tls({ caBundle, insecure }: RemoteService): Promise<ConnectionOptions> {
    const [cert, key] = await Promise.all((this.#files ?? []).map((file) => readFile(file, 'utf8')));
    return {
      minVersion: 'TLSv1.2',
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
      ...(caBundle === '' ? {} : trusting(Buffer.from(caBundle, 'base64'))),
      ...(insecure ? { rejectUnauthorized: false } : {}),
    };
  }
}

function keyOf({ namespace, name }: Pick<RemoteService, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function filesOf(config: RemoteTargetsConfig): readonly [string, string] | undefined {
  const { proxyClientCertFile: cert, proxyClientKeyFile: key } = config;
  if (cert === '' && key === '') return undefined;
  if (cert !== '' && key !== '') return [cert, key];
  throw new OptionError('--proxy-client-cert-file and --proxy-client-key-file are given together, or neither of them');
}

const CONFIGURED = /^([^/=]+\/[^/=]+)=(.+):(\d{1,5})$/;

function configuredAddresses(list: readonly string[]): ReadonlyMap<string, ServiceTarget> {
  return new Map(
    list.map((item) => {
      const [, service = '', host = '', port = ''] = CONFIGURED.exec(item) ?? [];
      if (service === '' || Number(port) > 65_535) {
        throw new OptionError(`--aggregated-service-addresses takes NAMESPACE/NAME=HOST:PORT, not ${item}`);
      }
      return [service, { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }];
    }),
  );
}

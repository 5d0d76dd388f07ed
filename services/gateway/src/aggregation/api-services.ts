import { API_SERVICES, type ApiPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { Revision } from '@tidegate/revision';
import type { RemoteVersion, ServedElsewhere } from '../discovery/served-groups.ts';
import { LiveView, type MirrorPort } from '../live/live-view.ts';
import { type ApiService, availableIn, readApiService } from './api-service.ts';
import { RemoteApi, type RemoteApiOptions } from './remote-api.ts';
import { SERVICE_RESOURCES, stateOf } from './service-check.ts';

interface ApiServicesOptions extends Omit<RemoteApiOptions, 'changed'> {
  readonly mirrors: MirrorPort;
  /** the names of the APIServices of this server's own group versions */
  readonly localNames: readonly string[];
}

/**
 * The APIServices of the mirror: which server serves which group version.
 *
 * Invariant: without remote group versions, a request costs one check of an empty map.
 */
export class ApiServices implements ServedElsewhere {
  readonly #options: ApiServicesOptions;
  readonly #view: LiveView<ApiService>;
  readonly resource = API_SERVICES;
  /** remote servers by group version */
  #remotes = new Map<string, RemoteApi>();
  #priorities: ReadonlyMap<string, ApiPriority> = new Map();
  /** the last seen states of the Services, by group version */
  readonly #states = new Map<string, string>();
  #revision = 0;
  #signature = '';

  constructor(options: ApiServicesOptions) {
    this.#options = options;
    this.#view = new LiveView({
      mirrors: options.mirrors,
      resource: API_SERVICES,
      make: (object, { revision }) => readApiService(object, revision),
      changed: () => this.#update(),
      unknown: 'the API services are not loaded yet; retry shortly',
    });
  }

  start(): void {
    const { mirrors } = this.#options;
    this.#view.start();
    for (const resource of SERVICE_RESOURCES) mirrors.follow(resource, () => this.#checkServices());
  }

  stop(): void {
    for (const remote of this.#remotes.values()) remote.close();
  }

  get isKnown(): boolean {
    return this.#view.isKnown;
  }

  /** Whether every local group version has its APIService. */
  get areRegistered(): boolean {
    return this.isKnown && this.#options.localNames.every((name) => this.#view.get(name) !== undefined);
  }

  /** Whether the APIServices of all local group versions are available. */
  get areLocalAvailable(): boolean {
    const local = this.#view.values.filter((one) => !isElsewhere(one));
    return this.areRegistered && local.every((one) => availableIn(one)?.status === 'True');
  }

  /** Whether every remote server was checked. */
  get areRemoteChecked(): boolean {
    return this.isKnown && [...this.#remotes.values()].every((remote) => remote.isChecked);
  }

  /** Resolves when the API services are loaded, in whichever state. */
  known(): Promise<void> {
    return this.#view.known();
  }

  through(revision: Revision): Promise<void> {
    return this.#view.through(revision);
  }

  /** The remote server of a URL; undefined: this server. */
  at(url: string): RemoteApi | undefined {
    if (this.#remotes.size === 0 || !url.startsWith('/apis/')) return undefined;
    const [, , group = '', version = ''] = url.split(/[?#]/, 1)[0]?.split('/', 4) ?? [];
    return this.#remotes.get(`${decoded(group)}/${decoded(version)}`);
  }

  get revision(): number {
    return this.#revision;
  }

  get versions(): Iterable<RemoteVersion> {
    return [...this.#remotes.values()].map(({ apiService: { group, version }, discovery, openApi }) => ({
      group,
      version,
      entry: discovery.entry,
      openApi,
    }));
  }

  priority(group: string, version: string): ApiPriority | undefined {
    return this.#priorities.get(`${group}/${version}`);
  }

  #update(): void {
    const all = this.#view.values;
    this.#priorities = new Map(all.map(({ group, version, priority }) => [`${group}/${version}`, priority]));
    const remotes = new Map<string, RemoteApi>();
    for (const apiService of all) {
      if (!isElsewhere(apiService)) continue;
      const key = `${apiService.group}/${apiService.version}`;
      const known = this.#remotes.get(key);
      known?.set(apiService);
      remotes.set(key, known ?? this.#begin(apiService));
    }
    for (const [key, remote] of this.#remotes) {
      if (remotes.has(key)) continue;
      remote.close();
      this.#states.delete(key);
    }
    this.#remotes = remotes;
    this.#compare();
  }

  #begin(apiService: ApiService): RemoteApi {
    for (const resource of SERVICE_RESOURCES) this.#options.mirrors.keep(resource);
    return new RemoteApi(apiService, { ...this.#options, changed: () => this.#compare() });
  }

  /** Raises the revision only when the content of discovery changes. */
  #compare(): void {
    const signature = JSON.stringify([
      [...this.#priorities],
      [...this.#remotes.values()].map(({ groupVersion, discovery, openApi }) => [
        groupVersion,
        discovery.signature,
        openApi.document?.hash,
      ]),
    ]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#revision++;
  }

  #checkServices(): void {
    if (this.#remotes.size === 0) return;
    for (const remote of this.#remotes.values()) {
      const state = stateOf(remote.service, (resource) => this.#options.mirrors.peek(resource));
      if (this.#states.get(remote.groupVersion) === state) continue;
      this.#states.set(remote.groupVersion, state);
      remote.touch();
    }
  }
}

/** The names of the APIServices of this server's own kinds. */
export function localNames(registry: Registry): readonly string[] {
  const own = [...registry.all()].filter(
    ({ entry }) => entry.custom === undefined && entry.group !== REGISTRATION_GROUP,
  );
  return [...new Set(own.map(({ entry }) => `${entry.version}.${entry.group}`))];
}

/** The core group and that of APIServices are always served here, so that a wrong APIService can be repaired. */
function isElsewhere({ group, remote }: ApiService): boolean {
  return remote !== undefined && group !== '' && group !== REGISTRATION_GROUP;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return segment;
  }
}

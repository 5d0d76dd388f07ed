import { API_SERVICES, type ApiPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { Revision } from '@tidegate/revision';
import type { RemoteVersion, ServedElsewhere } from '../discovery/served-groups.ts';
import { LiveView, type MirrorPort } from '../live/live-view.ts';
import { type ApiService, availableIn, readApiService } from './api-service.ts';
import { RemoteApi, type RemoteApiOptions } from './remote-api.ts';
import { SERVICE_RESOURCES, stateOf } from './service-check.ts';

interface ApiServicesOptions extends Omit<RemoteApiOptions, 'changed'> {
  readonly mirrors: MirrorPort;
  /** the names of the APIServices of what is served here */
  readonly localNames: readonly string[];
}

/**
 * Who serves which group version, as the mirror of APIServices has it.
 *
 * Invariant: whoever asks whether a path is served elsewhere pays one look at an empty map where nothing is.
 */
export class ApiServices implements ServedElsewhere {
  readonly #options: ApiServicesOptions;
  readonly #view: LiveView<ApiService>;
  readonly resource = API_SERVICES;
  /** by group version: who serves it elsewhere */
  #remotes = new Map<string, RemoteApi>();
  #priorities: ReadonlyMap<string, ApiPriority> = new Map();
  /** of the Services behind, when they were last looked at */
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
    for (const resource of SERVICE_RESOURCES) mirrors.follow(resource, () => this.#lookAtServices());
  }

  stop(): void {
    for (const remote of this.#remotes.values()) remote.close();
  }

  get isKnown(): boolean {
    return this.#view.isKnown;
  }

  /** Every group version that is served here has its object. */
  get areRegistered(): boolean {
    return this.isKnown && this.#options.localNames.every((name) => this.#view.get(name) !== undefined);
  }

  /** Those of group versions that are served here say that they are available. */
  get areLocalAvailable(): boolean {
    const local = this.#view.values.filter((one) => !isElsewhere(one));
    return this.areRegistered && local.every((one) => availableIn(one)?.status === 'True');
  }

  /** Each server behind the API was looked at. */
  get areRemoteJudged(): boolean {
    return this.isKnown && [...this.#remotes.values()].every((remote) => remote.isJudged);
  }

  /** Resolves when the API services are loaded, in whichever state. */
  known(): Promise<void> {
    return this.#view.known();
  }

  through(revision: Revision): Promise<void> {
    return this.#view.through(revision);
  }

  /** Who serves what is at a URL, where it is not this server. */
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

  /** What discovery tells is made anew only when it would be something else. */
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

  #lookAtServices(): void {
    if (this.#remotes.size === 0) return;
    for (const remote of this.#remotes.values()) {
      const state = stateOf(remote.service, (resource) => this.#options.mirrors.peek(resource));
      if (this.#states.get(remote.groupVersion) === state) continue;
      this.#states.set(remote.groupVersion, state);
      remote.touch();
    }
  }
}

/** The core group, and this one, are served here whatever anybody says: they are what all else is put right by. */
/** The names of the APIServices of the server's own kinds. */
export function localNames(registry: Registry): readonly string[] {
  const own = [...registry.all()].filter(
    ({ entry }) => entry.custom === undefined && entry.group !== REGISTRATION_GROUP,
  );
  return [...new Set(own.map(({ entry }) => `${entry.version}.${entry.group}`))];
}

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

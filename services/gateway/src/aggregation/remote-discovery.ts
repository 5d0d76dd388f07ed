import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, listOf, parseOwnJson } from '@tidegate/schema';
import type { BackgroundAnswer } from './background-request.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const MOST_BYTES = 8 << 20;

/** Requests a path from the remote server. */
export type AskRemote = (
  path: string,
  options: { readonly headers: readonly string[]; readonly mostBytes: number },
) => Promise<BackgroundAnswer>;

interface Place {
  readonly group: string;
  readonly version: string;
}

/**
 * The discovery of one remote group version, in the aggregated form.
 *
 * Invariant: the entry of an unreachable server is stale and has no resources, as in kube-apiserver, so that clients do
 * not treat an old list as complete.
 */
export class RemoteDiscovery {
  readonly #place: Place;
  /** the last answer, and its ETag */
  #known: { readonly resources: readonly JsonObject[]; readonly etag: string } | undefined;
  #isCurrent = false;

  constructor(place: Place) {
    this.#place = place;
  }

  /** The entry among the versions of its group. */
  get entry(): JsonObject {
    const { version } = this.#place;
    if (!this.#isCurrent || this.#known === undefined) return { version, freshness: 'Stale' };
    return { version, resources: [...this.#known.resources], freshness: 'Current' };
  }

  /** A text that changes with the entry. */
  get signature(): string {
    return createHash('sha256').update(JSON.stringify(this.entry)).digest('base64');
  }

  async refresh(ask: AskRemote): Promise<void> {
    try {
      this.#known = (await this.#aggregated(ask)) ?? (await this.#plain(ask));
      this.#isCurrent = true;
    } catch (error) {
      this.#isCurrent = false;
      throw error;
    }
  }

  expire(): void {
    this.#isCurrent = false;
  }

  /** undefined where the server supports only the plain form. */
  async #aggregated(ask: AskRemote): Promise<{ resources: readonly JsonObject[]; etag: string } | undefined> {
    const etag = this.#known?.etag ?? '';
    const known = etag === '' ? [] : ['If-None-Match', etag];
    const answer = await ask('/apis', { headers: ['Accept', AGGREGATED, ...known], mostBytes: MOST_BYTES });
    if (answer.code === 304 && this.#known !== undefined) return this.#known;
    const type = answer.headers['content-type'] ?? '';
    const isAggregated = /;\s*as=APIGroupDiscoveryList\b/.test(type) && /;\s*v=v2(;|$|\s)/.test(type);
    if (answer.code !== 200 || !isAggregated) return undefined;
    const { group, version } = this.#place;
    const groups = listOf(objectOf(answer.body), 'items');
    const found = groups.find(({ metadata }) => isJsonObject(metadata) && metadata.name === group);
    const versions = listOf(found, 'versions');
    const resources = listOf(
      versions.find((one) => one.version === version),
      'resources',
    );
    return { resources: resources.map(discoveredResource), etag: String(answer.headers.etag ?? '') };
  }

  async #plain(ask: AskRemote): Promise<{ resources: readonly JsonObject[]; etag: string }> {
    const { group, version } = this.#place;
    const path = `/apis/${group}/${version}`;
    const answer = await ask(path, { headers: ['Accept', 'application/json'], mostBytes: MOST_BYTES });
    if (answer.code !== 200) throw new Error(`failed to download legacy discovery for ${path}: ${answer.code}`);
    return {
      resources: aggregatedResources(listOf(objectOf(answer.body), 'resources'), this.#place).map(discoveredResource),
      etag: '',
    };
  }
}

function objectOf(body: Buffer): JsonObject {
  const value: Json = parseOwnJson(body);
  if (!isJsonObject(value)) throw new Error('the answer is no JSON object');
  return value;
}

interface Made {
  resource: JsonObject;
  readonly subresources: JsonObject[];
}

/** Converts the resources of an APIResourceList to the aggregated form. */
export function aggregatedResources(list: readonly JsonObject[], place: Place): JsonObject[] {
  const made = new Map<string, Made>();
  for (const one of list) {
    const [name = '', subresource] = String(one.name).split('/', 2);
    const responseKind = { group: place.group, version: place.version, ...given(one, ['group', 'version', 'kind']) };
    const verbs = one.verbs ?? [];
    const scope = one.namespaced === true ? 'Namespaced' : 'Cluster';
    const shown = { resource: name, responseKind: {}, scope, singularResource: '', verbs: [] };
    const into: Made = made.get(name) ?? { resource: shown, subresources: [] };
    made.set(name, into);
    if (subresource !== undefined) into.subresources.push({ subresource, responseKind, verbs });
    else {
      const names = given(one, ['shortNames', 'categories']);
      into.resource = { ...shown, responseKind, singularResource: one.singularName ?? '', verbs, ...names };
    }
  }
  return [...made.values()].map(({ resource, subresources }) => ({
    ...resource,
    ...(subresources.length === 0 ? {} : { subresources }),
  }));
}

function given(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined || object[name] === '' ? [] : [[name, object[name] as Json]])),
  );
}

/**
 * Reads a resource that a remote server describes in the aggregated form. Fields with a wrong type are omitted, so that
 * an invalid answer of one server does not break the document of all servers.
 */
export function discoveredResource(entry: JsonObject): JsonObject {
  const subresources = listOf(entry, 'subresources').map((one) => ({
    subresource: textOf(one.subresource),
    responseKind: kindIn(one),
    verbs: textsIn(one, 'verbs'),
  }));
  const [shortNames, categories] = [textsIn(entry, 'shortNames'), textsIn(entry, 'categories')];
  return {
    resource: textOf(entry.resource),
    responseKind: kindIn(entry),
    scope: entry.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    singularResource: textOf(entry.singularResource),
    verbs: textsIn(entry, 'verbs'),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** An absent kind becomes an empty one, because some clients fail without it. */
function kindIn({ responseKind }: JsonObject): JsonObject {
  if (!isJsonObject(responseKind)) return {};
  const { group, version, kind } = responseKind;
  return { group: textOf(group), version: textOf(version), kind: textOf(kind) };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsIn(object: JsonObject, name: string): string[] {
  const list = object[name];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

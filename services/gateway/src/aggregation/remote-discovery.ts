import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, listOf, parseOwnJson } from '@tidegate/schema';
import type { BackgroundAnswer } from './background-request.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const MOST_BYTES = 8 << 20;

/** Asks the server for a path, within the time that is left. */
export type AskRemote = (
  path: string,
  options: { readonly headers: readonly string[]; readonly mostBytes: number },
) => Promise<BackgroundAnswer>;

interface Place {
  readonly group: string;
  readonly version: string;
}

/**
 * What a server behind the API says it serves in one group version, in the aggregated form.
 *
 * Invariant: what cannot be asked for is stale and tells no resources, as in kube-apiserver: a client that took them for
 * current would do without those that have come since.
 */
export class RemoteDiscovery {
  readonly #place: Place;
  /** its answer, and the tag by which it says that it has no other one */
  #known: { readonly resources: readonly JsonObject[]; readonly etag: string } | undefined;
  #isCurrent = false;

  constructor(place: Place) {
    this.#place = place;
  }

  /** As one of the versions of its group. */
  get entry(): JsonObject {
    const { version } = this.#place;
    if (!this.#isCurrent || this.#known === undefined) return { version, freshness: 'Stale' };
    return { version, resources: [...this.#known.resources], freshness: 'Current' };
  }

  /** Another text whenever the entry is another one. */
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

  /** undefined where it speaks another form only. */
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

/** An APIResourceList's resources in the aggregated form. */
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
 * A resource of the aggregated form as another server tells it: what has its type is taken, anything else is left out, so
 * that what one server says wrongly spoils no document that tells of all.
 */
export function discoveredResource(told: JsonObject): JsonObject {
  const subresources = listOf(told, 'subresources').map((one) => ({
    subresource: textOf(one.subresource),
    responseKind: kindIn(one),
    verbs: textsIn(one, 'verbs'),
  }));
  const [shortNames, categories] = [textsIn(told, 'shortNames'), textsIn(told, 'categories')];
  return {
    resource: textOf(told.resource),
    responseKind: kindIn(told),
    scope: told.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    singularResource: textOf(told.singularResource),
    verbs: textsIn(told, 'verbs'),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Some clients fail where a kind is not there at all; an empty one they know. */
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

import type { Kind, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { notAcceptable } from '@tidegate/status';
import { discoverySchema } from './discovery-schemas.ts';
import { Document, openApiV2Protobuf, openApiV3Protobuf } from './document.ts';
import { openApiV2 } from './open-api-v2.ts';
import { withRemotes } from './open-api-v2-of-v3.ts';
import { openApiV3 } from './open-api-v3.ts';
import type { Codec } from './operation.ts';
import { aggregated, coreVersions, groupList, oneGroup, resourceList } from './resources.ts';
import { NOTHING_ELSEWHERE, type RemoteVersion, type ServedElsewhere } from './served-groups.ts';
import { NO_FACTS, rootPaths, type ServerFacts, version } from './server-facts.ts';

const JSON_TYPE = 'application/json';
const AGGREGATED = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** The name in requests and the name in answers, because a media type has no `@`. */
const V2_PROTOBUF = /application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/;
const V2_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = /application\/com\.github\.proto-openapi\.spec\.v3[@.]v1\.0\+protobuf/;
const V3_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const OPENAPI_V3 = '/openapi/v3/';

/**
 * The discovery and OpenAPI documents, by path.
 *
 * Invariant: a document is built on its first request and cached as bytes. A change of the registry invalidates all
 * documents except those of OpenAPI v3 whose kinds are unchanged; a change of a remote group invalidates the documents
 * about groups. A rebuilt document gets another hash only when its content has changed.
 */
export class Discovery {
  readonly #registry: Registry;
  readonly #codec: Codec;
  readonly #elsewhere: ServedElsewhere;
  readonly #facts: ServerFacts;
  readonly #documents = new Map<string, Promise<Document | undefined>>();
  /** the hashes of OpenAPI documents that were built for the index only, and whose bytes are not cached */
  readonly #hashes = new Map<string, Promise<string>>();
  /** the kinds by group version from which the documents were built */
  #kinds: ReadonlyMap<string, readonly Kind[]> = new Map();
  #madeFor = -1;
  #madeBeside = -1;

  constructor(
    registry: Registry,
    codec: Codec,
    elsewhere: ServedElsewhere = NOTHING_ELSEWHERE,
    facts: ServerFacts = NO_FACTS,
  ) {
    this.#facts = facts;
    this.#registry = registry;
    this.#codec = codec;
    this.#elsewhere = elsewhere;
  }

  /** The number of cached documents. */
  get held(): number {
    return this.#documents.size;
  }

  /** undefined at paths without a document. */
  async document(path: string, accept: string | undefined): Promise<Document | undefined> {
    const clean = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    if (/^\/apis?(\/|$)/.test(clean)) return this.#discovered(clean, accept);
    const remote = clean.startsWith(OPENAPI_V3) ? this.#remoteAt(clean.slice(OPENAPI_V3.length)) : undefined;
    if (remote !== undefined) return ofRemote(remote, accept);
    if (clean === '/openapi/v2' && V2_PROTOBUF.test(accept ?? '')) {
      return this.#kept(
        `${clean} protobuf`,
        async () => new Document(V2_PROTOBUF_TYPE, await this.#openApiV2Protobuf()),
      );
    }
    if (clean.startsWith(OPENAPI_V3) && V3_PROTOBUF.test(accept ?? '')) {
      return this.#kept(`${clean} protobuf`, () => this.#openApiV3Protobuf(clean.slice(OPENAPI_V3.length)));
    }
    if (clean.startsWith('/openapi/') && !takesJson(accept)) throw notAcceptable([JSON_TYPE]);
    if (clean === '/openapi/v3') return this.#kept(clean, () => this.#openApiIndex());
    return this.#kept(clean, () => this.#make(clean));
  }

  /** The document in the encoding that the client accepts. */
  #discovered(path: string, accept: string | undefined): Promise<Document | undefined> {
    const hasAggregated = path === '/api' || path === '/apis';
    const form = this.#codec.negotiator.negotiateDiscovery(accept, hasAggregated);
    const type = form.mediaType + (form.aggregated ? AGGREGATED : '');
    return this.#kept(`${path} ${type}`, async () => {
      const value = form.aggregated
        ? aggregated(this.#registry, this.#elsewhere, path === '/api')
        : await this.#plain(path);
      if (value === undefined) return undefined;
      return new Document(type, form.encoding.document({ value, schema: discoverySchema(String(value.kind)) }, false));
    });
  }

  async #make(path: string): Promise<Document | undefined> {
    const value = await (path.startsWith(OPENAPI_V3)
      ? this.#openApiV3(path.slice(OPENAPI_V3.length))
      : this.#plain(path));
    return value === undefined ? undefined : new Document(JSON_TYPE, value);
  }

  #plain(path: string): JsonObject | Promise<JsonObject> | undefined {
    const [prefix, second = '', third = '', ...rest] = path.slice(1).split('/');
    if (path === '/version') return version();
    if (path === '/') return { paths: rootPaths(this.#registry, this.#elsewhere, this.#facts) };
    if (path === '/api') return coreVersions(this.#facts.serverAddress);
    if (path === '/apis') return groupList(this.#registry, this.#elsewhere);
    if (path === '/openapi/v2') return this.#openApiV2();
    if (rest.length > 0) return undefined;
    if (prefix === 'api' && third === '') return resourceList(this.#registry, '', second);
    if (prefix === 'apis') {
      return third === ''
        ? oneGroup(this.#registry, this.#elsewhere, second)
        : resourceList(this.#registry, second, third);
    }
    return undefined;
  }

  #openApiV3(place: string): Promise<JsonObject> | undefined {
    const kinds = this.#kinds.get(place) ?? [];
    return kinds.length === 0 ? undefined : openApiV3(this.#registry, kinds, this.#codec);
  }

  async #openApiV3Protobuf(place: string): Promise<Document | undefined> {
    const document = await this.#openApiV3(place);
    return document && new Document(V3_PROTOBUF_TYPE, await openApiV3Protobuf(document));
  }

  async #openApiV2(): Promise<JsonObject> {
    const remotes = [...this.#elsewhere.versions];
    const own = this.#registry.all().filter((kind) => this.#remoteAt(placeOf(kind)) === undefined);
    const document = await openApiV2(this.#registry, own, this.#codec);
    return remotes.length === 0 ? document : withRemotes(document, remotes);
  }

  async #openApiV2Protobuf(): Promise<Buffer> {
    return openApiV2Protobuf(await this.#openApiV2());
  }

  /** The URL of each group version's document, which contains the hash of its content. */
  async #openApiIndex(): Promise<Document> {
    const paths: JsonObject = {};
    for (const place of this.#kinds.keys()) {
      const url = OPENAPI_V3 + place;
      paths[place] = { serverRelativeURL: `${url}?hash=${await this.#hashOf(url)}` };
    }
    for (const { group, version: name, openApi } of this.#elsewhere.versions) {
      const place = `apis/${group}/${name}`;
      delete paths[place];
      const { document } = openApi;
      if (document !== undefined) paths[place] = { serverRelativeURL: `${OPENAPI_V3}${place}?hash=${document.hash}` };
    }
    return new Document(JSON_TYPE, { paths });
  }

  async #hashOf(url: string): Promise<string> {
    const document = await this.#documents.get(url);
    if (document !== undefined) return document.hash;
    const hash = this.#hashes.get(url) ?? this.#make(url).then((made) => made?.hash ?? '');
    this.#hashes.set(url, hash);
    // the caller gets the error, and the next request builds the document again
    hash.catch(() => this.#hashes.delete(url));
    return hash;
  }

  #remoteAt(place: string): RemoteVersion | undefined {
    for (const remote of this.#elsewhere.versions) {
      if (place === `apis/${remote.group}/${remote.version}`) return remote;
    }
    return undefined;
  }

  /** Whether a document depends on remote groups. */
  #forgetGroups(): void {
    for (const name of this.#documents.keys()) {
      if (/^\/(apis|openapi\/v2)/.test(name) || name === '/openapi/v3' || name === '/') this.#documents.delete(name);
    }
  }

  /** An OpenAPI v3 document depends only on the kinds of its group version. */
  #forgetChanged(): void {
    const kinds = Map.groupBy(this.#registry.all(), placeOf);
    const isSame = (name: string): boolean => {
      if (!name.startsWith(OPENAPI_V3)) return false;
      const [place = ''] = name.slice(OPENAPI_V3.length).split(' ');
      const now = kinds.get(place) ?? [];
      const before = this.#kinds.get(place) ?? [];
      return now.length === before.length && now.every((kind, i) => kind === before[i]);
    };
    for (const made of [this.#documents, this.#hashes]) {
      for (const name of made.keys()) if (!isSame(name)) made.delete(name);
    }
    this.#kinds = kinds;
  }

  /** Requests during the build of a document share it. */
  async #kept(name: string, make: () => Promise<Document | undefined>): Promise<Document | undefined> {
    if (this.#madeFor !== this.#registry.revision) {
      this.#forgetChanged();
      this.#madeFor = this.#registry.revision;
    }
    if (this.#madeBeside !== this.#elsewhere.revision) {
      this.#forgetGroups();
      this.#madeBeside = this.#elsewhere.revision;
    }
    const known = this.#documents.get(name);
    if (known !== undefined) return known;
    const making = make();
    this.#documents.set(name, making);
    let document: Document | undefined;
    try {
      document = await making;
      return document;
    } finally {
      // missing documents are not cached, because clients can request arbitrary paths
      if (document === undefined) this.#documents.delete(name);
    }
  }
}

/** The remote server's document in the requested form, unchanged. */
function ofRemote(
  { openApi: { document, protobuf } }: RemoteVersion,
  accept: string | undefined,
): Document | undefined {
  if (protobuf !== undefined && V3_PROTOBUF.test(accept ?? '')) return protobuf;
  if (document !== undefined && !takesJson(accept)) throw notAcceptable([JSON_TYPE]);
  return document;
}

/** `api/v1`, `apis/apps/v1`, … */
function placeOf({ entry, apiVersion }: Kind): string {
  return `${entry.group === '' ? 'api' : 'apis'}/${apiVersion}`;
}

/** Whether the client accepts only the Protobuf form of OpenAPI. */
function takesJson(accept = '*/*'): boolean {
  return accept === '' || /application\/(json|\*)|\*\/\*/.test(accept);
}

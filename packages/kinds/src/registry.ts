import { applyDefaults, type JsonObject, type Schema } from '@tidegate/schema';
import type { Kind, KindEntry } from './kind-entry.ts';

type ObjectSchema = Schema & { type: 'object' };

/** Types that belong to no kind and to all. */
export interface MetaTypes {
  readonly listMeta: ObjectSchema;
  readonly deleteOptions: ObjectSchema;
  readonly status: ObjectSchema;
}

/**
 * Every kind that is served; nothing else in the server lists kinds.
 *
 * Invariant: custom kinds are replaced together, so that the versions of one are always of one definition. A kind of the
 * server's own is never replaced by one.
 */
export class Registry {
  readonly meta: MetaTypes;
  #revision = 0;
  readonly #byPath = new Map<string, Kind>();
  readonly #builtIn: Kind[] = [];
  readonly #builtInResources = new Set<string>();
  #all: readonly Kind[] = this.#builtIn;
  #custom = new Map<string, Kind>();
  readonly #builtInVersions = new Set<string>();
  #customVersions: ReadonlySet<string> = new Set();

  constructor(meta: MetaTypes) {
    this.meta = meta;
  }

  /** It is another one whenever other kinds are served. */
  get revision(): number {
    return this.#revision;
  }

  add(entry: KindEntry): void {
    this.#revision++;
    const kind = new ServedKind(entry, (group, version) => this.#stored(entry, group, version));
    this.#byPath.set(pathOf(entry), kind);
    this.#builtIn.push(kind);
    this.#builtInResources.add(kind.storedAs);
    this.#builtInVersions.add(`${entry.group}/${entry.version}`);
  }

  /** Serves these custom kinds, and no others any more. */
  setCustom(kinds: readonly Kind[]): void {
    const free = kinds.filter(({ entry }) => !this.#byPath.has(pathOf(entry)));
    this.#custom = new Map(free.map((kind) => [pathOf(kind.entry), kind]));
    this.#customVersions = new Set(free.map(({ entry }) => `${entry.group}/${entry.version}`));
    this.#all = [...this.#builtIn, ...free];
    this.#revision++;
  }

  find(group: string, version: string, resource: string): Kind | undefined {
    const path = `${group}/${version}/${resource}`;
    return this.#byPath.get(path) ?? this.#custom.get(path);
  }

  /** Whether there is any kind in a group version. */
  serves(group: string, version: string): boolean {
    const place = `${group}/${version}`;
    return this.#builtInVersions.has(place) || this.#customVersions.has(place);
  }

  /** Whether objects that are stored as this resource are of a built-in kind. */
  isBuiltIn(resource: string): boolean {
    return this.#builtInResources.has(resource);
  }

  all(): readonly Kind[] {
    return this.#all;
  }

  #stored({ resource, kind }: KindEntry, group: string, version: string): Kind {
    const stored = this.find(group, version, resource);
    if (stored === undefined) throw new Error(`${kind} is stored in a version that is not served`);
    return stored;
  }
}

function pathOf({ group, version, resource }: KindEntry): string {
  return `${group}/${version}/${resource}`;
}

class ServedKind implements Kind {
  readonly entry: KindEntry;
  readonly apiVersion: string;
  readonly storedAs: string;
  readonly #find: (group: string, version: string) => Kind;
  #stored: Kind | undefined;
  #schema: ObjectSchema | undefined;

  constructor(entry: KindEntry, find: (group: string, version: string) => Kind) {
    const { group } = entry.conversion ?? entry;
    this.entry = entry;
    this.apiVersion = entry.group === '' ? entry.version : `${entry.group}/${entry.version}`;
    this.storedAs = group === '' ? entry.resource : `${entry.resource}.${group}`;
    this.#find = find;
  }

  get schema(): ObjectSchema {
    const schema = this.#schema ?? this.entry.schema;
    this.#schema = schema;
    return schema;
  }

  get stored(): Kind {
    const { conversion } = this.entry;
    this.#stored ??= conversion === undefined ? this : this.#find(conversion.group, conversion.version);
    return this.#stored;
  }
}

/** A kind that stands for itself: it is stored as it is. */
export function kindOf(entry: KindEntry): Kind {
  return new ServedKind(entry, () => {
    throw new Error(`${entry.kind} is not stored in another version`);
  });
}

/** A kind that is stored as another one. */
export function kindStoredAs(entry: KindEntry, stored: Kind): Kind {
  return new ServedKind(entry, () => stored);
}

/** A webhook makes objects of this kind of those that are stored, and the other way round. */
export function isConverted({ entry }: Kind): boolean {
  return entry.custom?.converter !== undefined;
}

/** The version in which objects of a kind are kept, whoever converts them. */
export function storageOf(kind: Kind): Kind {
  return kind.entry.custom?.converter?.stored ?? kind.stored;
}

/** An object of a kind in the version that is stored. */
export function toStored(kind: Kind, object: JsonObject): JsonObject {
  const { conversion } = kind.entry;
  return conversion === undefined ? object : named(kind.stored, conversion.toStored(object));
}

/** In a list the objects of this kind do not name it: the list does, as in Kubernetes. */
export function isTypeless({ entry }: Kind): boolean {
  return entry.custom === undefined;
}

/** A stored object as this kind. */
export function fromStored(kind: Kind, object: JsonObject): JsonObject {
  const { conversion } = kind.entry;
  if (conversion === undefined) return object;
  const shown = named(kind, conversion.fromStored(object));
  applyDefaults(kind.schema, shown);
  return shown;
}

function named({ entry, apiVersion }: Kind, object: JsonObject): JsonObject {
  object.kind = entry.kind;
  object.apiVersion = apiVersion;
  return object;
}

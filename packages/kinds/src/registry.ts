import { applyDefaults, type JsonObject, type Schema } from '@tidegate/schema';
import type { Kind, KindEntry } from './kind-entry.ts';

type ObjectSchema = Schema & { type: 'object' };

/** Types that all kinds share. */
export interface MetaTypes {
  readonly listMeta: ObjectSchema;
  readonly deleteOptions: ObjectSchema;
  readonly status: ObjectSchema;
}

/**
 * All served kinds. The server has no other list of kinds.
 *
 * Invariant: custom kinds are replaced together, so that all versions of a kind come from one state of its
 * definition. A custom kind never replaces a built-in one.
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

  /** A number that changes whenever the served kinds change. */
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

  /** Replaces all custom kinds. */
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

  /** Whether a group version has a kind. */
  serves(group: string, version: string): boolean {
    const place = `${group}/${version}`;
    return this.#builtInVersions.has(place) || this.#customVersions.has(place);
  }

  /** Whether the objects of a stored resource have a built-in kind. */
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

/** A kind that is stored in its own version. */
export function kindOf(entry: KindEntry): Kind {
  return new ServedKind(entry, () => {
    throw new Error(`${entry.kind} is not stored in another version`);
  });
}

/** A kind that is stored in the version of another one. */
export function kindStoredAs(entry: KindEntry, stored: Kind): Kind {
  return new ServedKind(entry, () => stored);
}

/** Whether a webhook converts the objects of this kind from and to the stored version. */
export function isConverted({ entry }: Kind): boolean {
  return entry.custom?.converter !== undefined;
}

/** The version in which objects of a kind are stored, also when a webhook converts them. */
export function storageOf(kind: Kind): Kind {
  return kind.entry.custom?.converter?.stored ?? kind.stored;
}

/** Converts an object of a kind to the stored version. */
export function toStored(kind: Kind, object: JsonObject): JsonObject {
  const { conversion } = kind.entry;
  return conversion === undefined ? object : named(kind.stored, conversion.toStored(object));
}

/** Whether the items of lists have no apiVersion and kind, as in Kubernetes. */
export function isTypeless({ entry }: Kind): boolean {
  return entry.custom === undefined;
}

/** Converts a stored object to this kind. */
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

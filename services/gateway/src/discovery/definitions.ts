import { setImmediate as turn } from 'node:timers/promises';
import type {
  CustomDescriptions,
  Descriptions,
  KindEntry,
  ParameterDescriptions,
  Registry,
  TypeDescriptions,
} from '@tidegate/kinds';
import { type JsonObject, type OpenApiOptions, openApiShape, type Schema } from '@tidegate/schema';
import type { Operation } from './operation.ts';

const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

/** The type of any patch, with Kubernetes' name. */
export const PATCH = {
  type: 'object',
  fields: {},
  reference: 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
} as const satisfies Schema;

const TYPES_AT_ONCE = 40;

type ObjectSchema = Schema & { type: 'object' };

/**
 * The named types of one OpenAPI document: the requested ones, and all types that they reference.
 *
 * Invariant: a type is described once, however often it is referenced, so recursive types are possible.
 */
export class Definitions {
  readonly #described: JsonObject = {};
  readonly #waiting: Array<[name: string, schema: Schema]> = [];
  readonly #prefix: string;
  readonly #options: OpenApiOptions;
  readonly #kinds: ReadonlyMap<string, JsonObject[]>;
  /** the selectable fields, by type */
  readonly #selectable = new Map<string, JsonObject>();
  readonly #customLists = new Map<string, KindEntry>();

  constructor(version: 2 | 3, kinds: ReadonlyMap<string, JsonObject[]>) {
    this.#kinds = kinds;
    this.#prefix = version === 2 ? '#/definitions/' : '#/components/schemas/';
    this.#options = { version, referTo: (name, schema) => this.#refer(name, schema) };
  }

  /** A reference to the type of a kind's objects. */
  object(entry: KindEntry): string {
    const selectable = selectableOf(entry);
    if (selectable !== undefined) this.#selectable.set(entry.schema.reference ?? '', selectable);
    return this.#refer(entry.schema.reference, entry.schema) ?? '';
  }

  /** A reference to the type of a kind's lists. */
  list(entry: KindEntry): string {
    const name = `${entry.schema.reference}List`;
    if (this.#described[name] === undefined) {
      const items = { type: 'array', items: { $ref: this.object(entry) } };
      const text = { type: 'string' };
      this.#described[name] = {
        type: 'object',
        properties: { apiVersion: text, items, kind: text, metadata: { $ref: this.#prefix + LIST_META } },
        required: ['items'],
        'x-kubernetes-group-version-kind': [{ group: entry.group, kind: `${entry.kind}List`, version: entry.version }],
        ...selectableOf(entry),
      };
      if (entry.custom !== undefined) this.#customLists.set(name, entry);
    }
    return this.#prefix + name;
  }

  /** A reference to a type that belongs to no kind. */
  other(schema: ObjectSchema): string {
    return this.#refer(schema.reference, schema) ?? '';
  }

  /** Describes all requested types; yields to the event loop, because there are hundreds. */
  async all(descriptions: Descriptions): Promise<JsonObject> {
    const custom = await descriptions.customKinds();
    const options = { ...this.#options, descriptions: custom.object };
    for (let done = 1, next = this.#waiting.shift(); next !== undefined; done++, next = this.#waiting.shift()) {
      this.#described[next[0]] = openApiShape(next[1], options);
      if (done % TYPES_AT_ONCE === 0) await turn();
    }
    const all: JsonObject = {};
    for (const name of Object.keys(this.#described).sort()) {
      const list = this.#customLists.get(name);
      const words = list === undefined ? await descriptions.type(name) : customListWords(list, custom.list);
      all[name] = this.#withWords(name, words);
    }
    return all;
  }

  #withWords(name: string, words: TypeDescriptions): JsonObject {
    const described = withDescriptions(this.#described[name] as JsonObject, words, this.#options.version);
    const kinds = this.#kinds.get(name);
    if (kinds === undefined) return described;
    return { ...described, 'x-kubernetes-group-version-kind': kinds, ...this.#selectable.get(name) };
  }

  #refer(name: string | undefined, schema: Schema): string | undefined {
    if (name === undefined) return undefined;
    if (this.#described[name] === undefined) {
      this.#described[name] = {};
      this.#waiting.push([name, schema]);
    }
    return this.#prefix + name;
  }
}

function selectableOf({ custom }: KindEntry): JsonObject | undefined {
  if (custom === undefined || custom.selectable.length === 0) return undefined;
  return { 'x-kubernetes-selectable-fields': custom.selectable.map((fieldPath) => ({ fieldPath })) };
}

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** As kube-apiserver describes the lists of custom kinds. */
function customListWords({ kind, resource }: KindEntry, words: CustomDescriptions['list']): TypeDescriptions {
  const items = `List of ${resource}. More info: ${CONVENTIONS}`;
  return { ...words, '': `${kind}List is a list of ${kind}`, items };
}

const known = new WeakMap<Registry, { readonly revision: number; readonly kinds: ReadonlyMap<string, JsonObject[]> }>();

/** The kinds of each named type: usually one, and one for each group for shared types. Cached for all documents. */
export function kindsOfTypes(registry: Registry): ReadonlyMap<string, JsonObject[]> {
  const { revision } = registry;
  const before = known.get(registry);
  if (before?.revision === revision) return before.kinds;
  const kinds = findKindsOfTypes(registry);
  known.set(registry, { revision, kinds });
  return kinds;
}

function findKindsOfTypes(registry: Registry): ReadonlyMap<string, JsonObject[]> {
  const kinds = new Map<string, JsonObject[]>();
  const add = (schema: ObjectSchema, group: string, version: string, kind: string): void => {
    const { reference = '' } = schema;
    const all = kinds.get(reference) ?? [];
    all.push({ group, kind, version });
    kinds.set(reference, all);
  };
  // custom kinds reuse the options of built-in kinds, whose documents must not change with a custom kind
  const builtIn = registry.all().filter(({ entry }) => entry.custom === undefined);
  const versions = new Map(builtIn.map(({ entry, apiVersion }) => [apiVersion, entry]));
  for (const { entry } of registry.all()) {
    add(entry.schema, entry.group, entry.version, entry.kind);
    const { scale } = entry.subresources;
    if (scale?.entry !== undefined && !kinds.has(scale.entry.schema.reference ?? '')) {
      add(scale.entry.schema, scale.entry.group, scale.entry.version, scale.entry.kind);
    }
  }
  for (const { group, version } of versions.values()) add(registry.meta.deleteOptions, group, version, 'DeleteOptions');
  add(registry.meta.status, '', 'v1', 'Status');
  return kinds;
}

/** Adds the descriptions of a type and its fields; existing ones stay. */
export function withDescriptions(
  type: JsonObject,
  words: TypeDescriptions,
  version: OpenApiOptions['version'],
): JsonObject {
  const { '': own, ...ofFields } = words;
  const properties = type.properties as JsonObject | undefined;
  return {
    ...(own === undefined ? {} : { description: own }),
    ...type,
    ...(properties === undefined ? {} : { properties: worded(properties, ofFields, version) }),
  };
}

function worded(properties: JsonObject, words: TypeDescriptions, version: OpenApiOptions['version']): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const description = Object.hasOwn(words, name) ? words[name] : undefined;
      if (description === undefined) return [name, property];
      return [name, { description, ...(version === 2 ? (property as JsonObject) : alone(property as JsonObject)) }];
    }),
  );
}

/** OpenAPI v3 ignores all fields beside $ref, so the reference is wrapped. */
function alone(property: JsonObject): JsonObject {
  const { $ref, ...rest } = property;
  return $ref === undefined ? property : { ...rest, allOf: [{ $ref }] };
}

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query';
}

/** The description of a parameter, if there is one. */
export function parameterDescription(
  { path, query }: ParameterDescriptions,
  { of, action, nameOf }: Operation,
  { name, place }: Parameter,
): { description?: string } {
  if (place === 'path' && name === 'name') return { description: `name of the ${nameOf}` };
  const words = place === 'path' ? path : query;
  const description = words[`${of.kind}.${name}`] ?? words[`${action}.${name}`] ?? words[name];
  return description === undefined ? {} : { description };
}

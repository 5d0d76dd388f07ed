import type { Schema } from '@tidegate/schema';
import { type GroupVersionFacts, readResources } from './facts/resources.ts';
import { TypeTable } from './facts/type-table.ts';
import { droppedFields, rulesOf } from './families.ts';
import type { GroupVersionKind, KindEntry, KindRules, Subresource } from './kind-entry.ts';
import { type MetaTypes, Registry } from './registry.ts';
import { DroppedFields } from './rules/dropped-fields.ts';
import { reportOmitted } from './rules/omitted-fields.ts';
import { isStable, nameOf } from './runtime-config.ts';
import { validateCounts, validateTypes, validateTypesUpdate } from './validation.ts';

const USUAL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Subresources that the gateway implements; others of the facts are not served. */
const SERVED: Readonly<Record<string, (resource: string) => boolean>> = {
  attach: () => true,
  exec: () => true,
  log: () => true,
  portforward: () => true,
  proxy: () => true,
  status: () => true,
  scale: () => true,
  approval: () => true,
  binding: () => true,
  ephemeralcontainers: () => true,
  eviction: () => true,
  resize: () => true,
  token: () => true,
  finalize: (resource) => resource === 'namespaces',
};

type ResourceFacts = GroupVersionFacts['resources'][number];

/** Operations that the gateway implements: access reviews, token reviews, bindings of pods, component statuses. */
const SERVED_OPERATIONS = new Set([
  'bindings',
  'componentstatuses',
  'selfsubjectrulesreviews',
  'tokenreviews',
  'selfsubjectaccessreviews',
  'subjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectreviews',
]);

/** Makes the registry of all stable kinds of the facts, and of those in the enabled beta versions. */
export function builtInRegistry(enabled: ReadonlySet<string> = new Set(), types = new TypeTable()): Registry {
  const registry = new Registry(metaTypes(types));
  const places = readResources().filter((place) => isStable(place) || enabled.has(nameOf(place)));
  const typeOf = ({ group, version, kind }: GroupVersionKind): ObjectSchema => {
    const place = places.find((found) => found.group === group && found.version === version);
    return types.type(`${place?.types}/${kind}`) as ObjectSchema;
  };
  for (const place of places) {
    for (const facts of place.resources)
      if (isObject(facts) || SERVED_OPERATIONS.has(facts.resource)) registry.add(entryOf(place, facts, typeOf));
  }
  return registry;
}

function metaTypes(types: TypeTable): MetaTypes {
  const type = (name: string): ObjectSchema => types.type(`meta.v1/${name}`) as ObjectSchema;
  return {
    get listMeta() {
      return type('ListMeta');
    },
    get deleteOptions() {
      return type('DeleteOptions');
    },
    get status() {
      return type('Status');
    },
  };
}

type ObjectSchema = Schema & { type: 'object' };
type TypeOf = (kind: GroupVersionKind) => ObjectSchema;

/** A resource that can only be created, or only be read, is an operation and not an object. */
function isObject({ verbs = USUAL_VERBS }: ResourceFacts): boolean {
  return verbs.includes('create') && verbs.includes('get');
}

function entryOf({ group, version }: GroupVersionFacts, facts: ResourceFacts, typeOf: TypeOf): KindEntry {
  const { kind, resource, singular, namespaced } = facts;
  const named = { group, version, kind };
  const entry: KindEntry = {
    ...named,
    resource,
    singular,
    namespaced,
    shortNames: facts.short ?? [],
    categories: facts.categories ?? [],
    verbs: facts.verbs ?? USUAL_VERBS,
    subresources: {},
    ...withTypes(
      rulesOf(group, version, resource),
      () => typeOf(named),
      group === '' ? resource : `${resource}.${group}`,
    ),
    get schema() {
      return typeOf(named);
    },
  };
  return withSubresources(entry, facts, typeOf);
}

const dropped = new DroppedFields(droppedFields);

/** Paths that change an object as a whole. Other paths have their own rules. */
const WHOLE_OBJECT_PATHS = new Set(['', 'status', 'scale']);

/** Joins the rules of the kind's types with those of the kind itself. */
function withTypes(rules: KindRules, schema: () => ObjectSchema, resource: string): KindRules {
  return {
    ...rules,
    setDefaults: (object) => {
      dropped.dropperOf(schema())?.(object);
      rules.setDefaults?.(object);
    },
    validate: (object, subresource = '') =>
      reportOmitted(schema(), object, [
        ...(subresource === 'status' ? [] : validateTypes(schema(), object)),
        ...(rules.validate?.(object, subresource) ?? []),
      ]),
    validateUpdate: (object, old, subresource) =>
      reportOmitted(schema(), object, [
        ...(WHOLE_OBJECT_PATHS.has(subresource) ? validateTypesUpdate(resource, object, old) : []),
        ...(subresource === 'status' ? validateCounts(resource, object, old) : []),
        ...(rules.validateUpdate?.(object, old, subresource) ?? []),
      ]),
  };
}

function withSubresources(main: KindEntry, { subresources = {} }: ResourceFacts, typeOf: TypeOf): KindEntry {
  const served = Object.entries(subresources).filter(([name]) => SERVED[name]?.(main.resource));
  const all = served.map(
    ([name, { verbs, kind, group = main.group, version = main.version }]): [string, Subresource] => {
      if (kind === undefined) return [name, { verbs }];
      return [name, { verbs, entry: ownKind(main, { group, version, kind }, typeOf) }];
    },
  );
  return Object.defineProperty(main, 'subresources', { value: Object.fromEntries(all), enumerable: true });
}

/** A subresource with a kind of its own, such as Scale: it has the schema of that kind, and no rules. */
function ownKind(main: KindEntry, kind: GroupVersionKind, typeOf: TypeOf): KindEntry {
  return {
    ...kind,
    resource: main.resource,
    singular: main.singular,
    namespaced: main.namespaced,
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: {},
    get schema() {
      return typeOf(kind);
    },
  };
}

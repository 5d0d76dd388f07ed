import type { Schema } from '@tidegate/schema';
import { rulesOf } from './entries/rules-of.ts';
import { type GroupVersionFacts, readResources } from './facts/resources.ts';
import { TypeTable } from './facts/type-table.ts';
import type { KindEntry, Subresource } from './kind-entry.ts';
import { Registry } from './registry.ts';

const USUAL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Subresources whose behaviour is there; the others of the facts join when theirs is. */
const SERVED: Readonly<Record<string, (resource: string) => boolean>> = {
  status: () => true,
  scale: () => true,
  finalize: (resource) => resource === 'namespaces',
};

type ResourceFacts = GroupVersionFacts['resources'][number];

/** Every kind of the facts that is an object. */
export function builtInRegistry(types = new TypeTable()): Registry {
  const registry = new Registry();
  for (const place of readResources()) {
    for (const facts of place.resources) if (isObject(facts)) registry.add(entryOf(place, facts, types));
  }
  return registry;
}

/** What can only be created, or only be read, is an operation and not an object. */
function isObject({ verbs = USUAL_VERBS }: ResourceFacts): boolean {
  return verbs.includes('create') && verbs.includes('get');
}

function entryOf(
  { group, version, types: place }: GroupVersionFacts,
  facts: ResourceFacts,
  types: TypeTable,
): KindEntry {
  return {
    group,
    version,
    kind: facts.kind,
    resource: facts.resource,
    singular: facts.singular,
    shortNames: facts.short ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.namespaced,
    verbs: facts.verbs ?? USUAL_VERBS,
    subresources: Object.fromEntries(servedSubresources(group, version, facts)),
    ...rulesOf(group, version, facts.resource),
    get schema() {
      return types.type(`${place}/${facts.kind}`) as Schema & { type: 'object' };
    },
  };
}

function servedSubresources(group: string, version: string, facts: ResourceFacts): Array<[string, Subresource]> {
  return Object.entries(facts.subresources ?? {})
    .filter(([name]) => SERVED[name]?.(facts.resource))
    .map(([name, { verbs, kind, ...other }]) => [
      name,
      { verbs, ...(kind === undefined ? {} : { kind: { group, version, ...other, kind } }) },
    ]);
}

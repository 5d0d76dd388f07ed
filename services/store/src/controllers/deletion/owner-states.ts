import type { OwnerReference } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import type { ObjectPaths } from '../gateway/object-paths.ts';
import type { DependentsState, OwnershipQueries } from '../port.ts';
import type { OwnerState, Subject } from './verdict.ts';

/** A suspect as it is stored. */
export interface Found extends Subject {
  readonly key: Key;
  readonly uid: string;
  readonly revision: number;
}

export interface Ownership {
  /** in the order of the object's owners */
  readonly owners: readonly OwnerState[];
  readonly dependents: DependentsState;
}

const NO_DEPENDENTS: DependentsState = { exist: false, wait: false, block: false };

/**
 * Reads the owners of these objects, and the dependents where they matter. No uid is given twice, so an owner that does
 * not exist now never will. The object itself may still change; therefore every request names its uid and its version.
 */
export async function readOwnership(
  queries: OwnershipQueries,
  paths: ObjectPaths,
  objects: readonly Found[],
): Promise<Ownership[]> {
  const states = await ownerStates(queries, paths, objects);
  const asked = objects.filter((object, i) => needsDependents(object, states[i] as OwnerState[]));
  const answers = await queries.dependents(asked.map(({ uid, key }) => ({ uid, namespace: key.namespace })));
  const dependents = new Map(asked.map((object, i) => [object, answers[i]]));
  return objects.map((object, i) => ({
    owners: states[i] as OwnerState[],
    dependents: dependents.get(object) ?? NO_DEPENDENTS,
  }));
}

function needsDependents({ isDeleting }: Found, owners: readonly OwnerState[]): boolean {
  return isDeleting || (owners.includes('waits') && !owners.includes('exists'));
}

/** Each owner is looked up once, however many of the objects name it. */
async function ownerStates(
  queries: OwnershipQueries,
  paths: ObjectPaths,
  objects: readonly Found[],
): Promise<OwnerState[][]> {
  const keys = new Map<string, Key>();
  const wanted = objects.map((object) =>
    (object.isDeleting ? [] : object.owners).map((owner) => {
      const key = keyOf(paths, object.key, owner);
      if (typeof key === 'string') return { state: key };
      const identity = `${key.resource}\0${key.namespace}\0${key.name}`;
      keys.set(identity, key);
      return { identity, uid: owner.uid };
    }),
  );
  const records = await queries.owners([...keys.values()]);
  const found = new Map([...keys.keys()].map((identity, i) => [identity, records[i]]));
  return wanted.map((owners) =>
    owners.map(({ state, identity = '', uid }) => {
      if (state !== undefined) return state;
      const record = found.get(identity);
      if (record === undefined || record.uid !== uid) return 'absent';
      return record.waits ? 'waits' : 'exists';
    }),
  );
}

/** The key of an owner; a namespaced owner is in the namespace of its dependent. */
function keyOf(
  paths: ObjectPaths,
  dependent: Key,
  owner: OwnerReference,
): Key | Extract<OwnerState, 'unknown' | 'unreachable' | 'absent'> {
  const kind = paths.kindOf(owner.apiVersion ?? '', owner.kind ?? '');
  if (kind === undefined) return 'unknown';
  const { storedAs: resource, entry } = kind;
  if (entry.namespaced && dependent.namespace === '') return 'unreachable';
  const { name = '' } = owner;
  // no object has such a name, and PostgreSQL rejects it in a query
  if (name.includes('\0')) return 'absent';
  return { resource, namespace: entry.namespaced ? dependent.namespace : '', name };
}

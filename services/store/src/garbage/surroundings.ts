import type { OwnerReference } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { Paths } from './paths.ts';
import type { DependentsState, OwnerState, Subject } from './verdict.ts';

/** A suspect as it is stored. */
export interface Found extends Subject {
  readonly key: Key;
  readonly uid: string;
  readonly revision: number;
}

export interface Surroundings {
  /** in the order of the object's owners */
  readonly owners: readonly OwnerState[];
  readonly dependents: DependentsState;
}

const OWNERS = 'SELECT place, uid, waits FROM tidegate.owner_states($1::text[], $2::text[], $3::text[])';
const DEPENDENTS = 'SELECT place, are_there, wait, block FROM tidegate.dependent_states($1::text[], $2::text[])';

const NOBODY: DependentsState = { areThere: false, wait: false, block: false };

/**
 * Who owns these objects and what depends on them, as PostgreSQL knows it in this moment. No uid is given twice, so an
 * owner that is absent now is absent for good: what may still change is the object itself, and whoever acts names its
 * uid and its version.
 */
export async function lookAround(pool: Pool, paths: Paths, objects: readonly Found[]): Promise<Surroundings[]> {
  const states = await ownerStates(pool, paths, objects);
  const asked = objects.filter((_, i) => needsDependents(objects[i] as Found, states[i] as OwnerState[]));
  const dependents = await dependentsStates(pool, asked);
  return objects.map((object, i) => ({
    owners: states[i] as OwnerState[],
    dependents: dependents.get(object) ?? NOBODY,
  }));
}

function needsDependents({ isDeleting }: Found, owners: readonly OwnerState[]): boolean {
  return isDeleting || (owners.includes('waits') && !owners.includes('there'));
}

async function ownerStates(pool: Pool, paths: Paths, objects: readonly Found[]): Promise<OwnerState[][]> {
  const places = new Map<string, number>();
  const keys: Key[] = [];
  const placeOf = (key: Key) => {
    const identity = `${key.resource}\0${key.namespace}\0${key.name}`;
    const place = places.get(identity) ?? keys.push(key);
    places.set(identity, place);
    return place;
  };
  const lookUps = objects.map((object) =>
    object.isDeleting ? [] : object.owners.map((owner) => lookUp(paths, object.key, owner)),
  );
  const wanted = lookUps.map((list) => list.map((one) => (typeof one === 'string' ? one : placeOf(one))));
  const found = new Map<number, { uid: string; waits: boolean }>();
  if (keys.length > 0) {
    const columns = (['resource', 'namespace', 'name'] as const).map((part) => textArray(keys.map((key) => key[part])));
    for (const row of await pool.query(OWNERS, columns)) {
      const [place, uid, waits] = row as [number, string, boolean];
      found.set(place, { uid, waits });
    }
  }
  return wanted.map((list, i) =>
    list.map((place, j) => {
      if (typeof place === 'string') return place;
      const owner = found.get(place);
      if (owner === undefined || owner.uid !== objects[i]?.owners[j]?.uid) return 'absent';
      return owner.waits ? 'waits' : 'there';
    }),
  );
}

/** Where an owner would be: a namespaced one only where its dependent is. */
function lookUp(paths: Paths, dependent: Key, owner: OwnerReference): Key | 'unknown' | 'elsewhere' | 'absent' {
  const kind = paths.kindOf(owner.apiVersion ?? '', owner.kind ?? '');
  if (kind === undefined) return 'unknown';
  const { storedAs: resource, entry } = kind;
  if (entry.namespaced && dependent.namespace === '') return 'elsewhere';
  const { name = '' } = owner;
  // nothing has such a name, and PostgreSQL cannot be asked for it
  if (name.includes('\0')) return 'absent';
  return { resource, namespace: entry.namespaced ? dependent.namespace : '', name };
}

async function dependentsStates(pool: Pool, owners: readonly Found[]): Promise<Map<Found, DependentsState>> {
  const states = new Map<Found, DependentsState>();
  if (owners.length === 0) return states;
  const rows = await pool.query(DEPENDENTS, [
    textArray(owners.map(({ uid }) => uid)),
    textArray(owners.map(({ key }) => key.namespace)),
  ]);
  for (const row of rows) {
    const [place, areThere, wait, block] = row as [number, boolean, boolean, boolean];
    states.set(owners[place - 1] as Found, { areThere, wait, block });
  }
  return states;
}

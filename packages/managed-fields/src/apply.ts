import type { JsonObject } from '@tidegate/schema';
import { conflictsOf } from './conflicts.ts';
import { type FieldSet, unionOf } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { withNamedFields } from './fit-schema.ts';
import { merge } from './merge.ts';
import { IDENTITY } from './own-update.ts';
import { type Author, type Owner, type Owners, ownerId, withFields } from './owners.ts';
import { removeFields } from './remove.ts';
import { isSame } from './shape.ts';
import { fitOwners, takeFields } from './take-fields.ts';
import type { Version, Versions } from './versions.ts';

export interface Application {
  readonly versions: Versions;
  /** in the version of the request, without its managed fields */
  readonly live: JsonObject;
  readonly applied: JsonObject;
  readonly owners: Owners;
  readonly author: Pick<Author, 'manager' | 'subresource'>;
  readonly time: string;
  /** `appliedFields`, if the caller has computed them already */
  readonly fields?: FieldSet;
  /** takes fields from other owners instead of reporting a conflict */
  readonly force: boolean;
}

export interface Applied {
  readonly object: JsonObject;
  readonly owners: Owners;
}

/** An object after the merge with the applied configuration, before fields are removed. */
export interface Merged {
  readonly application: Application;
  readonly object: JsonObject;
  readonly id: string;
  /** including the fields that the author applies now */
  readonly owners: Owners;
  /** the author's entry from its last apply */
  readonly last: Owner | undefined;
}

/**
 * Applies a configuration to an object: sets its fields and makes its author their owner. Fields that the author
 * applied before and no longer applies are removed, unless they have another owner.
 */
export function applyConfiguration(application: Application): Applied {
  return settleOwners(mergeConfiguration(application));
}

/** The first half: sets the fields. */
export function mergeConfiguration(application: Application): Merged {
  const { versions, live, applied, author } = application;
  const { own } = versions;
  const identity: Author = { ...author, operation: 'Apply', apiVersion: own.apiVersion };
  const id = ownerId(identity);
  const owners = new Map(fitOwners(versions, application.owners));
  const last = owners.get(id);
  const { fields = appliedFields(application) } = application;
  owners.set(id, { ...identity, time: last?.time, fields });
  return { application, object: merge(own.schema, live, applied), id, owners, last };
}

/** The second half: removes fields that are no longer applied, and determines the owners of the others. */
export function settleOwners({ application, object: merged, id, owners, last }: Merged): Applied {
  const { versions, live, time, force } = application;
  const object = last === undefined ? merged : new Pruning(versions, owners, last).prune(merged);
  const taken = takeFields({ versions, old: live, next: object, owners }, id);
  if (!force && taken.losses.size > 0) throw conflictsOf(owners, taken.losses);
  return { object, owners: withOwn(taken.owners, id, isSame(live, object) ? undefined : time) };
}

/** The fields of the applied configuration that can be owned. They do not depend on the live object. */
export function appliedFields({ versions, applied }: Pick<Application, 'versions' | 'applied'>): FieldSet {
  return fieldsOf(versions.own.schema, applied).without(versions.own.reset);
}

/** The author's entry as it is stored: without fields that cannot be owned, and with the time of the last change. */
function withOwn(owners: Owners, id: string, time: string | undefined): Owners {
  const result = new Map(owners);
  const owner = owners.get(id) as Owner;
  const fields = owner.fields.difference(IDENTITY);
  if (fields.isEmpty) result.delete(id);
  else result.set(id, { ...withFields(owner, fields), time: time ?? owner.time });
  return result;
}

/** Removes the fields that the author applied the last time and no longer applies. */
class Pruning {
  readonly #versions: Versions;
  readonly #owners: Owners;
  readonly #last: Owner;

  constructor(versions: Versions, owners: Owners, last: Owner) {
    this.#versions = versions;
    this.#owners = owners;
    this.#last = last;
  }

  prune(merged: JsonObject): JsonObject {
    const { own, convert, find } = this.#versions;
    const version = find(this.#last.apiVersion);
    if (version === undefined || this.#isAllWanted(version)) return merged;
    const whole = convert(merged, own, version);
    const last = withNamedFields(this.#last.fields, version.schema);
    const pruned = this.#addBackOwned(whole, removeFields(version.schema, whole, last), version);
    return convert(addBackDangling(version, whole, pruned, last), version, own);
  }

  /** All fields of the last apply are applied again, so there is nothing to remove. */
  #isAllWanted({ apiVersion }: Version): boolean {
    const now = this.#owners.get(ownerId(this.#last));
    return now?.apiVersion === apiVersion && this.#last.fields.difference(now.fields).isEmpty;
  }

  /** Keeps owned fields, including those that the author itself applies now. */
  #addBackOwned(whole: JsonObject, pruned: JsonObject, at: Version): JsonObject {
    const { find, convert } = this.#versions;
    let [all, rest] = [whole, pruned];
    let current = at;
    for (const [apiVersion, owned] of this.#ownedByVersion(at.apiVersion)) {
      const version = find(apiVersion);
      if (version === undefined) continue;
      [all, rest] = [convert(all, current, version), convert(rest, current, version)];
      current = version;
      const named = (fields: FieldSet) => withNamedFields(fields, version.schema);
      const kept = named(fieldsOf(version.schema, rest)).union(named(owned));
      rest = removeFields(version.schema, all, named(fieldsOf(version.schema, all)).difference(kept));
    }
    return convert(rest, current, at);
  }

  /** The version of the pruning comes first, because conversions to other versions may need its fields. */
  #ownedByVersion(first: string): Map<string, FieldSet> {
    const owned = new Map<string, FieldSet[]>([[first, []]]);
    for (const { apiVersion, fields } of this.#owners.values()) {
      const sets = owned.get(apiVersion);
      if (sets === undefined) owned.set(apiVersion, [fields]);
      else sets.push(fields);
    }
    return new Map([...owned].map(([apiVersion, sets]) => [apiVersion, unionOf(sets)]));
  }
}

/** Restores fields that were removed with their parent although the author did not own them. */
function addBackDangling({ schema }: Version, whole: JsonObject, pruned: JsonObject, last: FieldSet): JsonObject {
  const gone = withNamedFields(fieldsOf(schema, whole), schema).difference(
    withNamedFields(fieldsOf(schema, pruned), schema),
  );
  return removeFields(schema, whole, gone.intersection(last));
}

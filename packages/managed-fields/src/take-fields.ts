import type { JsonObject } from '@tidegate/schema';
import { type Comparison, compare } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { fitToSchema } from './fit-schema.ts';
import { type Owner, type Owners, withFields } from './owners.ts';
import type { Version, Versions } from './versions.ts';

export interface Step {
  readonly versions: Versions;
  readonly old: JsonObject;
  readonly next: JsonObject;
  readonly owners: Owners;
}

/** The fields that a change takes, by the id of the previous owner. */
export type LostFields = ReadonlyMap<string, FieldSet>;

export interface Taken {
  /** the owners with their remaining fields; an owner without fields is removed */
  readonly owners: Owners;
  /** fields of other owners that the change sets to another value */
  readonly losses: LostFields;
  readonly comparison: Comparison;
}

/** Takes changed and removed fields from their owners, but not from the owner `except`. */
export function takeFields({ versions, old, next, owners }: Step, except?: string): Taken {
  const comparisons = new Map<string, Comparison>();
  const changes = new Map<Comparison, FieldSet>();
  const changedIn = (comparison: Comparison): FieldSet => {
    const known = changes.get(comparison) ?? comparison.modified.union(comparison.added);
    changes.set(comparison, known);
    return known;
  };
  const comparisonIn = (version: Version): Comparison => {
    const { own, convert } = versions;
    let found = comparisons.get(version.apiVersion);
    if (found === undefined) {
      const [before, after] = [convert(old, own, version), convert(next, own, version)];
      found = withoutReset(compare(version.schema, before, after), version.reset);
      comparisons.set(version.apiVersion, found);
    }
    return found;
  };
  const left = new Map<string, Owner>();
  const losses = new Map<string, FieldSet>();
  for (const [id, owner] of owners) {
    if (id === except) {
      left.set(id, owner);
      continue;
    }
    const version = versions.find(owner.apiVersion);
    // the version is not served any more, so its fields cannot be interpreted
    if (version === undefined) continue;
    const comparison = comparisonIn(version);
    const lost = owner.fields.intersection(changedIn(comparison));
    if (!lost.isEmpty) losses.set(id, lost);
    const fields = owner.fields.difference(lost).difference(comparison.removed);
    if (!fields.isEmpty) left.set(id, fields.equals(owner.fields) ? owner : withFields(owner, fields));
  }
  return { owners: left, losses, comparison: comparisonIn(versions.own) };
}

function withoutReset({ removed, modified, added }: Comparison, reset: FieldSet): Comparison {
  return { removed: removed.without(reset), modified: modified.without(reset), added: added.without(reset) };
}

/** Adapts owners to the current schemas. Owners in versions that are no longer served are removed. */
export function fitOwners(versions: Versions, owners: Owners): Owners {
  const fitted = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const version = versions.find(owner.apiVersion);
    if (version !== undefined) fitted.set(id, withFields(owner, fitToSchema(owner.fields, version.schema)));
  }
  return fitted;
}

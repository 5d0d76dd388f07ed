import type { StatusCause } from '@tidegate/status';
import type { FieldSet } from './field-set.ts';
import type { Owner, Owners } from './owners.ts';
import { compareText, type PathElement, printPath } from './path-element.ts';
import type { LostFields } from './take-fields.ts';

interface Conflict {
  readonly owner: Owner;
  readonly path: readonly PathElement[];
}

/** The most conflicts that one response lists. */
const MAX_REPORTED = 1000;

/** An applied configuration would change fields of other owners. */
export class ConflictingOwners extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(messageOf(conflicts));
    this.conflicts = conflicts;
  }

  get causes(): StatusCause[] {
    return this.conflicts.slice(0, MAX_REPORTED).map(({ owner, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${nameOf(owner)}`,
      field: printPath(path),
    }));
  }

  /** The conflicts about other fields than these; undefined if there are none. */
  without(fields: FieldSet): ConflictingOwners | undefined {
    const left = this.conflicts.filter(({ path }) => !fields.hasPath(path));
    return left.length === 0 ? undefined : new ConflictingOwners(left);
  }
}

/** Each field that an owner would lose is one conflict. */
export function conflictsOf(owners: Owners, losses: LostFields): ConflictingOwners {
  return new ConflictingOwners(
    [...losses].flatMap(([id, fields]) =>
      [...fields.paths()].map((path) => ({ owner: owners.get(id) as Owner, path })),
    ),
  );
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${nameOf(only.owner)}: ${printPath(only.path)}`;
  }
  const reported = conflicts.slice(0, MAX_REPORTED);
  const more = conflicts.length > reported.length ? [`and ${conflicts.length - reported.length} more`] : [];
  const byOwner = Map.groupBy(reported, ({ owner }) => nameOf(owner));
  const parts = [...byOwner.keys()]
    .sort(compareText)
    .map((name) => [`conflicts with ${name}:`, ...(byOwner.get(name) ?? []).map(({ path }) => `- ${printPath(path)}`)]);
  return `Apply failed with ${conflicts.length} conflicts: ${[...parts.flat(), ...more].join('\n')}`;
}

function nameOf({ manager, subresource, operation, apiVersion }: Owner): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

import { type FieldSet, fieldSet, unionOf } from './field-set.ts';
import { type Author, NO_OWNERS, type Owner, type Owners, ownerId, secondsOf, withFields } from './owners.ts';
import { compareText } from './path-element.ts';
import { fitOwners, type Step, takeFields } from './take-fields.ts';

/** Fields that identify an object or that only the server sets. They have no owner. */
export const IDENTITY = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName'].map((name) => [
    'f:metadata',
    `f:${name}`,
  ]),
  ...['generation', 'managedFields', 'resourceVersion'].map((name) => ['f:metadata', `f:${name}`]),
);

interface Update extends Step {
  readonly author: Pick<Author, 'manager' | 'subresource'>;
  readonly time: string;
}

/** The owners after an update: its author owns all fields that changed. */
export function ownUpdate({ author: { manager, subresource }, time, ...step }: Update): Owners {
  const { own } = step.versions;
  const author: Author = {
    manager: manager || 'unknown',
    operation: 'Update',
    apiVersion: own.apiVersion,
    subresource,
  };
  const { owners, comparison } = takeFields({ ...step, owners: fitOwners(step.versions, step.owners) });
  const taken = comparison.modified.union(comparison.added).without(own.reset).difference(IDENTITY);
  if (taken.isEmpty) return capUpdates(owners);
  const id = ownerId(author);
  const before = owners.get(id);
  const fields = before === undefined ? taken : before.fields.union(taken);
  return capUpdates(new Map([...owners, [id, { ...author, time, fields }]]));
}

/** The most entries for updates; the oldest ones beyond it are merged into one. */
const LARGEST = 10;
const ANCIENT = 'ancient-changes';

function capUpdates(owners: Owners): Owners {
  const updates = [...owners].filter(([, { operation }]) => operation === 'Update');
  let count = updates.length;
  if (count <= LARGEST) return owners;
  updates.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareText(idA, idB));
  const capped = new Map(owners);
  const oldest = new Map<string, string>();
  const joined = new Map<string, FieldSet[]>();
  for (const [id, owner] of updates) {
    if (count <= LARGEST) break;
    const { apiVersion } = owner;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, id);
      continue;
    }
    const ancient: Author = { manager: ANCIENT, operation: 'Update', apiVersion, subresource: '' };
    const bucketId = ownerId(ancient);
    const bucket = capped.get(bucketId) ?? ({ ...(capped.get(first) as Owner), ...ancient } satisfies Owner);
    if (!capped.has(bucketId)) capped.delete(first);
    capped.delete(id);
    capped.set(bucketId, { ...bucket, time: owner.time });
    const sets = joined.get(bucketId);
    if (sets === undefined) joined.set(bucketId, [bucket.fields, owner.fields]);
    else sets.push(owner.fields);
    count--;
  }
  for (const [id, sets] of joined) capped.set(id, withFields(capped.get(id) as Owner, unionOf(sets)));
  return capped;
}

/** The owners of an object that had no managed fields before its first apply: one entry for all fields. */
export function ownBeforeApply(update: Omit<Update, 'author' | 'owners'> & { subresource: string }): Owners {
  const { subresource, ...rest } = update;
  return ownUpdate({ ...rest, owners: NO_OWNERS, author: { manager: 'before-first-apply', subresource } });
}

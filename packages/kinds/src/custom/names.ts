import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@tidegate/schema';
import type { Registry } from '../registry.ts';
import { APPROVED, type Condition, type Definition, hasCondition, isProtected, type Names } from './definition.ts';

/** The status of a definition: its names, and whether it is served. */
interface NamesStatus {
  readonly acceptedNames: Names;
  readonly conditions: readonly Condition[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Decides which names of its spec a definition gets: those that no other definition in its group, nor the server
 * itself, has. Accepted names stay, even when newer ones are not accepted. undefined when the status is already
 * correct.
 */
export function decideNames(
  definition: Definition,
  others: readonly Definition[],
  builtIn: Registry,
  now: string,
): NamesStatus | undefined {
  const { names: wanted, acceptedNames: had } = definition;
  const taken = takenNames(definition, others, builtIn);
  const got: Mutable<Names> = { ...had };
  let conflict: { reason: string; message: string } | undefined;
  const claim = (name: string | undefined, before: string | undefined, among: ReadonlySet<string>, reason: string) => {
    if (name === before || name === undefined || !among.has(name)) return true;
    conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
    return false;
  };
  if (claim(wanted.plural, had.plural, taken.resources, 'PluralConflict')) got.plural = wanted.plural;
  if (claim(wanted.singular, had.singular, taken.resources, 'SingularConflict'))
    assign(got, 'singular', wanted.singular);
  if (!isDeepStrictEqual(wanted.shortNames ?? [], had.shortNames ?? [])) {
    const used = (wanted.shortNames ?? []).filter(
      (name) => !(had.shortNames ?? []).includes(name) && taken.resources.has(name),
    );
    const texts = used.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
    if (used.length > 0) conflict = { reason: 'ShortNamesConflict', message };
    else assign(got, 'shortNames', wanted.shortNames);
  }
  if (claim(wanted.kind, had.kind, taken.kinds, 'KindConflict')) got.kind = wanted.kind;
  if (claim(wanted.listKind, had.listKind, taken.kinds, 'ListKindConflict')) assign(got, 'listKind', wanted.listKind);
  assign(got, 'categories', wanted.categories);
  const conditions = conditionsOf(definition, conflict, now);
  if (isDeepStrictEqual({ ...got }, { ...had }) && isDeepStrictEqual(conditions, definition.conditions))
    return undefined;
  return { acceptedNames: got, conditions };
}

function assign<K extends keyof Names>(names: Mutable<Names>, key: K, value: Names[K] | undefined): void {
  if (value === undefined) delete names[key];
  else names[key] = value;
}

function takenNames(definition: Definition, others: readonly Definition[], builtIn: Registry) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const take = ({ plural, singular = '', kind, listKind = '', shortNames = [] }: Names): void => {
    for (const name of [plural, singular, ...shortNames]) if (name !== '') resources.add(name);
    for (const name of [kind, listKind]) if (name !== '') kinds.add(name);
  };
  for (const other of others) {
    if (other.group === definition.group && other.name !== definition.name) take(other.acceptedNames);
  }
  for (const { entry } of builtIn.all()) {
    if (entry.group !== definition.group) continue;
    const { resource: plural, singular, kind, shortNames } = entry;
    take({ plural, singular, kind, listKind: `${kind}List`, shortNames });
  }
  return { resources, kinds };
}

function conditionsOf(
  definition: Definition,
  conflict: { reason: string; message: string } | undefined,
  now: string,
): Condition[] {
  const accepted: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const established: Condition = {
    type: 'Established',
    status: conflict === undefined ? 'True' : 'False',
    reason: conflict === undefined ? 'InitialNamesAccepted' : 'NotAccepted',
    message: conflict === undefined ? 'the initial names have been accepted' : 'not all names are accepted',
  };
  const wasEstablished = hasCondition(definition, 'Established');
  const named = wasEstablished ? [accepted] : [accepted, established];
  return withConditions(definition.conditions, [...named, ...approvalOf(definition)], now);
}

/** The condition for protected groups: whether the definition is approved. */
function approvalOf({ group, approval }: Definition): Condition[] {
  if (!isProtected(group)) return [];
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const where = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const must = `protected groups must have approval annotation "${APPROVED}"`;
  if (approval === '') return [{ type, status: 'False', reason: 'MissingAnnotation', message: `${must}, ${where}` }];
  if (approval.startsWith('unapproved')) {
    const message = `not approved: ${JSON.stringify(approval)}`;
    return [{ type, status: 'False', reason: 'UnapprovedAnnotation', message }];
  }
  if (URL.canParse(approval)) {
    return [{ type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval}` }];
  }
  const either = `with either a URL or a reason starting with "unapproved", ${where}`;
  return [{ type, status: 'False', reason: 'InvalidAnnotation', message: `${must} ${either}` }];
}

/** Sets some conditions among others; the time of a condition is that of the last change of its status. */
export function withConditions(before: readonly Condition[], set: readonly Condition[], now: string): Condition[] {
  const kept = before.map((old) => {
    const next = set.find(({ type }) => type === old.type);
    if (next === undefined) return old;
    const time = next.status === old.status ? (old.lastTransitionTime ?? now) : now;
    return sorted({ ...next, lastTransitionTime: time });
  });
  const fresh = set.filter(({ type }) => !before.some((old) => old.type === type));
  return [...kept, ...fresh.map((condition) => sorted({ ...condition, lastTransitionTime: now }))];
}

function sorted({ lastTransitionTime, message, reason, status, type }: Condition): Condition {
  return { ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }), message, reason, status, type };
}

/** The names as JSON, without empty ones. */
export function namesJson(names: Names): JsonObject {
  return JSON.parse(JSON.stringify(names)) as JsonObject;
}

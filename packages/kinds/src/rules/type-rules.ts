import type { Schema } from '@tidegate/schema';
import type { Place } from './place.ts';

/** Checks a field, and adds errors to its place. When it returns false, fields below are not checked. */
export interface Check {
  (place: Place): unknown;
  /** the check also runs for an absent field */
  readonly always?: boolean;
}

/** A field with this check is not checked further. */
export const unchecked: Check = () => false;

/**
 * The rules of a type, by the names of its fields; `name[]` for each item of a list, `name{}` for each value of a
 * map, the empty name for the whole object. The checks of a field run in their order until one finds an error; all
 * checks of the whole object run.
 */
export type TypeRules = Readonly<Record<string, Check | readonly Check[]>>;

/** By group version and type: `core.v1.PodSpec`. */
export type RuleTable = Readonly<Record<string, TypeRules>>;

/** Compares a field with its old value. */
export type UpdateCheck = (place: Place, old: Place) => void;

/** The checks of updates by path; the empty path is the whole object. */
export type UpdateChecks = Readonly<Record<string, UpdateCheck>>;

type Visitor = (place: Place) => void;

interface FieldVisit {
  readonly name: string;
  readonly checks: readonly Check[];
  readonly itemChecks: readonly Check[];
  readonly inner: Visitor | undefined;
  readonly always: boolean;
}

/**
 * Joins rules with the schemas of their types, a type at a time, at its first use.
 *
 * Invariant: a type has one visitor, and a type without any check has none, so that validation only walks to fields
 * with checks.
 */
export class CompiledRules {
  readonly #table: RuleTable;
  readonly #visitors = new Map<string, Visitor | undefined>();

  constructor(table: RuleTable) {
    this.#table = table;
  }

  visitor(schema: Schema & { type: 'object' }, skipped: readonly string[] = []): Visitor | undefined {
    const name = (schema.reference ?? '').split('.').slice(-3).join('.');
    if (this.#visitors.has(name)) return this.#visitors.get(name);
    // a recursive type is not entered again
    this.#visitors.set(name, undefined);
    const rules = this.#table[name] ?? {};
    const fields = Object.entries(schema.fields)
      .filter(([field]) => !skipped.includes(field) && rules[field] !== unchecked)
      .map(([field, type]) => this.#fieldVisit(field, type, rules))
      .filter(({ checks, itemChecks, inner }) => checks.length + itemChecks.length > 0 || inner !== undefined);
    const whole = listOf(rules['']);
    const visitor = fields.length + whole.length === 0 ? undefined : visitorOf(fields, whole);
    this.#visitors.set(name, visitor);
    return visitor;
  }

  #fieldVisit(name: string, type: Schema, rules: TypeRules): FieldVisit {
    const checks = listOf(rules[name]);
    const itemChecks = listOf(rules[`${name}[]`] ?? rules[`${name}{}`]);
    return { name, checks, itemChecks, inner: this.#inner(type), always: checks.some((check) => check.always) };
  }

  #inner(type: Schema): Visitor | undefined {
    switch (type.type) {
      case 'object':
        return this.visitor(type);
      case 'list':
        return this.#inner(type.items);
      case 'map':
        return this.#inner(type.values);
      default:
        return undefined;
    }
  }
}

function listOf(checks: Check | readonly Check[] | undefined): readonly Check[] {
  if (checks === undefined) return [];
  return typeof checks === 'function' ? [checks] : checks;
}

function visitorOf(fields: readonly FieldVisit[], whole: readonly Check[]): Visitor {
  return (place) => {
    const object = place.object;
    for (const visit of fields) {
      const value = object[visit.name];
      if (value !== undefined || visit.always) visitField(place.as(visit.name, value), visit);
    }
    for (const check of whole) check(place);
  };
}

function visitField(place: Place, { checks, itemChecks, inner }: FieldVisit): void {
  if (checks.length > 0 && !runAll(checks, place)) return;
  const { value } = place;
  if (typeof value !== 'object' || value === null || (inner === undefined && itemChecks.length === 0)) return;
  if (Array.isArray(value)) visitItems(place.items(), itemChecks, inner);
  else if (itemChecks.length > 0) visitItems(place.entries(), itemChecks, inner);
  else inner?.(place);
}

function visitItems(places: readonly Place[], checks: readonly Check[], inner: Visitor | undefined): void {
  for (const place of places) {
    if (checks.length === 0 || runAll(checks, place)) inner?.(place);
  }
}

/** Runs the checks of a field. The result says whether fields below are checked. */
function runAll(checks: readonly Check[], place: Place): boolean {
  const before = place.errorCount;
  let checksBelow = true;
  for (const check of checks) {
    if (check(place) === false) checksBelow = false;
    if (place.errorCount > before) break;
  }
  return checksBelow;
}

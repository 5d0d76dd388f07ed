import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';

/** Types whose objects are removed when no field is left. */
const REMOVED_WHEN_EMPTY = new Set(['core.v1.Lifecycle']);

type Drop = (holder: JsonObject) => void;

interface Step {
  readonly field: string;
  readonly drop: Drop;
  readonly isRemovedWhenEmpty: boolean;
}

/** Field names by type. */
type FieldsByType = Readonly<Record<string, readonly string[]>>;

/**
 * Fields that are accepted but not stored, because their features are not implemented.
 *
 * Invariant: a type has one function, made at its first use.
 */
export class DroppedFields {
  readonly #fields: FieldsByType;
  readonly #made = new Map<string, Drop | undefined>();

  constructor(fields: FieldsByType) {
    this.#fields = fields;
  }

  /** A function that removes these fields from an object; undefined when its type has none at any depth. */
  dropperOf(schema: Schema & { type: 'object' }): Drop | undefined {
    const name = nameOf(schema);
    if (this.#made.has(name)) return this.#made.get(name);
    // a recursive type is not entered again
    this.#made.set(name, undefined);
    const dropped = this.#fields[name] ?? [];
    const steps = Object.entries(schema.fields).flatMap(([field, type]) => this.#stepOf(field, type) ?? []);
    const drop = dropped.length + steps.length === 0 ? undefined : dropAll(dropped, steps);
    this.#made.set(name, drop);
    return drop;
  }

  #stepOf(field: string, type: Schema): Step | undefined {
    const inner = innerOf(type);
    const drop = inner === undefined ? undefined : this.dropperOf(inner);
    if (inner === undefined || drop === undefined) return undefined;
    return { field, drop, isRemovedWhenEmpty: REMOVED_WHEN_EMPTY.has(nameOf(inner)) };
  }
}

function nameOf({ reference = '' }: Schema & { type: 'object' }): string {
  return reference.split('.').slice(-3).join('.');
}

function innerOf(type: Schema): (Schema & { type: 'object' }) | undefined {
  if (type.type === 'object') return type;
  return type.type === 'list' ? innerOf(type.items) : undefined;
}

function dropAll(dropped: readonly string[], steps: readonly Step[]): Drop {
  return (holder) => {
    for (const field of dropped) if (holder[field] !== undefined) delete holder[field];
    for (const { field, drop, isRemovedWhenEmpty } of steps) {
      const value = holder[field];
      if (value === undefined) continue;
      const wasEmpty = isEmpty(value);
      eachObject(value, drop);
      if (isRemovedWhenEmpty && !wasEmpty && isEmpty(value)) delete holder[field];
    }
  };
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function eachObject(value: Json, drop: Drop): void {
  if (Array.isArray(value)) for (const item of value) eachObject(item, drop);
  else if (isJsonObject(value)) drop(value);
}

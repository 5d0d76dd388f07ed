import { copyOf, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';

/** A value, or a function that makes it from the object with the field; undefined: no default in this case. */
type Made = Json | ((holder: JsonObject) => Json | undefined);
type DefaultValue = Made | NotZero | IfAbsent | Always;

/** A default that also replaces zero, for fields in which zero means that no value was set. */
export class NotZero {
  readonly value: Made;

  constructor(value: Made) {
    this.value = value;
  }
}

/** A default of a field in which an empty text is a value. */
export class IfAbsent {
  readonly value: Made;

  constructor(value: Made) {
    this.value = value;
  }
}

/** A value that always replaces the field, for older names of another field. */
export class Always {
  readonly value: Made;

  constructor(value: Made) {
    this.value = value;
  }
}

/**
 * Defaults by path: `spec.replicas`, `spec.containers[].ports[].protocol`. A field is set when the object around it
 * exists and the field is absent or an empty text; the objects on the path are not created. Rules run in their order,
 * so that a later one can use values of an earlier one.
 */
export type DefaultRules = Readonly<Record<string, DefaultValue>>;

/** The same rules below a path. */
export function below(path: string, rules: DefaultRules): DefaultRules {
  return Object.fromEntries(Object.entries(rules).map(([inner, value]) => [`${path}.${inner}`, value]));
}

/** The same rules below each of several paths. */
export function belowEach(paths: readonly string[], rules: DefaultRules): DefaultRules {
  return Object.assign({}, ...paths.map((path) => below(path, rules)));
}

interface Step {
  readonly name: string;
  /** the rest of the path is for each item */
  readonly isList: boolean;
}

/** Fields of one object, and the steps to it. */
interface Rule {
  readonly steps: readonly Step[];
  readonly fields: Array<{ readonly field: string; readonly value: DefaultValue }>;
}

/**
 * Makes a function that applies the rules to an object. Consecutive rules for the same inner object share the walk to
 * it.
 */
export function defaulter(rules: DefaultRules): (object: JsonObject) => void {
  const parsed: Rule[] = [];
  let last = '';
  for (const [path, value] of Object.entries(rules)) {
    const dot = path.lastIndexOf('.');
    const [holder, field] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
    if (parsed.length === 0 || holder !== last) parsed.push({ steps: stepsOf(holder), fields: [] });
    parsed.at(-1)?.fields.push({ field, value });
    last = holder;
  }
  return (object) => {
    for (const rule of parsed) apply(rule, object, 0);
  };
}

function stepsOf(path: string): Step[] {
  if (path === '') return [];
  return path.split('.').map((step) => ({ name: step.replace('[]', ''), isList: step.endsWith('[]') }));
}

function apply(rule: Rule, value: Json | undefined, depth: number): void {
  if (!isJsonObject(value)) return;
  const step = rule.steps[depth];
  if (step === undefined) {
    for (const { field, value: made } of rule.fields) setField(value, field, made);
    return;
  }
  const next = value[step.name];
  if (next === undefined) return;
  if (!step.isList) apply(rule, next, depth + 1);
  else if (Array.isArray(next)) for (const item of next) apply(rule, item, depth + 1);
}

function setField(holder: JsonObject, field: string, value: DefaultValue): void {
  const current = holder[field];
  if (current !== undefined && !isUnset(current, value)) return;
  const source = isMarked(value) ? value.value : value;
  const made = typeof source === 'function' ? source(holder) : fresh(source);
  if (made !== undefined) holder[field] = made;
}

function isUnset(current: Json, value: DefaultValue): boolean {
  if (value instanceof Always) return true;
  return (current === '' && !(value instanceof IfAbsent)) || (current === 0 && value instanceof NotZero);
}

function isMarked(value: DefaultValue): value is NotZero | IfAbsent | Always {
  return value instanceof NotZero || value instanceof IfAbsent || value instanceof Always;
}

function fresh(value: Json): Json {
  return typeof value === 'object' ? copyOf(value) : value;
}

/** Sets the defaults of an object. */
export type SetDefaults = (object: JsonObject) => void;

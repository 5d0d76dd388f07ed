import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';

/** A value, or what makes it from the object that holds the field; undefined: no default in this case. */
type Made = Json | ((holder: JsonObject) => Json | undefined);
type DefaultValue = Made | NotZero;

/** A default that takes the place of a zero, too: a field whose zero means that nothing was said. */
export class NotZero {
  readonly value: Made;

  constructor(value: Made) {
    this.value = value;
  }
}

/**
 * Defaults by path: `spec.replicas`, `spec.containers[].ports[].protocol`. A field is set where what holds it is there
 * and the field is not, or is an empty text; nothing is made on the way to it. Rules work in their order, so that a later one may look at
 * what an earlier one has set.
 */
export type DefaultRules = Readonly<Record<string, DefaultValue>>;

/** The same rules for what stands below a path. */
export function below(path: string, rules: DefaultRules): DefaultRules {
  return Object.fromEntries(Object.entries(rules).map(([inner, value]) => [`${path}.${inner}`, value]));
}

/** The same rules for what stands below each of several paths. */
export function belowEach(paths: readonly string[], rules: DefaultRules): DefaultRules {
  return Object.assign({}, ...paths.map((path) => below(path, rules)));
}

interface Rule {
  readonly steps: readonly string[];
  readonly field: string;
  readonly value: DefaultValue;
}

/** What applies the rules to an object. */
export function defaulter(rules: DefaultRules): (object: JsonObject) => void {
  const parsed = Object.entries(rules).map(([path, value]): Rule => {
    const steps = path.split('.');
    return { steps: steps.slice(0, -1), field: steps.at(-1) as string, value };
  });
  return (object) => {
    for (const rule of parsed) apply(rule, object, 0);
  };
}

function apply(rule: Rule, value: Json | undefined, depth: number): void {
  if (!isJsonObject(value)) return;
  const step = rule.steps[depth];
  if (step === undefined) setField(rule, value);
  else if (!step.endsWith('[]')) apply(rule, value[step], depth + 1);
  else {
    const items = value[step.slice(0, -2)];
    if (Array.isArray(items)) for (const item of items) apply(rule, item, depth + 1);
  }
}

function setField({ field, value }: Rule, holder: JsonObject): void {
  const current = holder[field];
  const unset = current === undefined || current === '' || (current === 0 && value instanceof NotZero);
  if (!unset) return;
  const source = value instanceof NotZero ? value.value : value;
  const made = typeof source === 'function' ? source(holder) : structuredClone(source);
  if (made !== undefined) holder[field] = made;
}

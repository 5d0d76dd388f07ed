import { fromData, type Lazy, Optional, type Value } from '@tidegate/cel';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { type At, pathText } from '../values/at.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import { olderItems } from '../values/list-items.ts';
import { type CompiledRule, compileRules } from './compiled-rule.ts';
import { Correlation } from './correlation.ts';
import { evaluateRule, type RuleValue } from './evaluate-rule.ts';
import { isEmbedded, shapeOf } from './shapes.ts';

/** The cost limit of all rules of one write. */
const BUDGET = 10_000_000;

/** A schema with compiled rules, or with such schemas below it. */
interface Node {
  readonly schema: JsonSchema;
  readonly rules: readonly CompiledRule[];
  readonly toValue: (data: Json) => Value;
  readonly properties: ReadonlyMap<string, Node>;
  readonly values: Node | undefined;
  readonly items: Node | undefined;
}

interface Context {
  readonly value: Json;
  readonly at: At | undefined;
  /** the old value; undefined when there was none, or it is unknown */
  readonly old: Json | undefined;
  readonly correlation: Correlation;
}

/**
 * The rules in a schema of a CustomResourceDefinition, compiled once for each schema.
 *
 * Invariant: a write costs no more than its budget, with any rules and values. When the budget is used up, the write
 * is rejected.
 */
export class ExpressionRules {
  readonly #root: Node | undefined;

  constructor(schema: JsonSchema) {
    this.#root = nodeOf(schema, true);
  }

  /** The errors that the rules find in an object. Unchanged values are allowed. */
  errors(object: JsonObject, old?: JsonObject): FieldError[] {
    const root = this.#root;
    if (root === undefined) return [];
    const errors: FieldError[] = [];
    const correlation = old === undefined ? Correlation.none : Correlation.of(object, old, root.schema);
    new Visit(errors).visit(root, { value: object, at: undefined, old, correlation });
    return errors;
  }
}

/** undefined: neither the schema nor a schema below it has rules. */
function nodeOf(schema: JsonSchema, isRoot: boolean): Node | undefined {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, property]): Array<[string, Node]> => {
    const node = nodeOf(property, isEmbedded(property));
    return node === undefined ? [] : [[name, node]];
  });
  const { additionalProperties, items } = schema;
  const values =
    typeof additionalProperties === 'object'
      ? nodeOf(additionalProperties, isEmbedded(additionalProperties))
      : undefined;
  const item = items === undefined ? undefined : nodeOf(items, isEmbedded(items));
  const hasOwn = (schema['x-kubernetes-validations'] ?? []).length > 0;
  if (!hasOwn && inner.length === 0 && values === undefined && item === undefined) return undefined;
  const shape = hasOwn ? shapeOf(schema, 'selfType', isRoot || isEmbedded(schema)) : undefined;
  return {
    schema,
    rules: shape === undefined ? [] : compileRules(schema, shape),
    toValue: (data) => fromData(data, shape),
    properties: new Map(inner),
    values,
    items: item,
  };
}

/** The value is made when a rule first uses it. */
function once(make: Lazy): Lazy {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

class Visit {
  readonly #errors: FieldError[];
  #budget = BUDGET;

  constructor(errors: FieldError[]) {
    this.#errors = errors;
  }

  /** Whether there is budget left. */
  visit(node: Node, context: Context): boolean {
    if (context.value === null) return true;
    if (!this.#evaluate(node, context)) return false;
    if (Array.isArray(context.value)) return this.#items(node, context.value, context);
    return !isJsonObject(context.value) || this.#fields(node, context.value, context);
  }

  #evaluate({ schema, rules, toValue }: Node, { value, at, old, correlation }: Context): boolean {
    if (rules.length === 0) return true;
    const self = once(() => toValue(value));
    const hasOld = old !== undefined && old !== null;
    const before = hasOld ? once(() => toValue(old)) : undefined;
    const ruleValue: RuleValue = {
      type: schema.type ?? '',
      value,
      path: pathText(at),
      errors: this.#errors,
      correlation,
      isNew: !hasOld,
    };
    for (const compiled of rules) {
      const { optionalOldSelf } = compiled.rule;
      if (compiled.usesOldSelf && !hasOld && !optionalOldSelf) continue;
      const variables = new Map<string, Value | Lazy>([['self', self]]);
      if (optionalOldSelf)
        variables.set('oldSelf', before === undefined ? Optional.none : () => new Optional(before()));
      else if (before !== undefined) variables.set('oldSelf', before);
      this.#budget = evaluateRule(compiled, variables, { ...ruleValue, budget: this.#budget });
      if (this.#budget < 0) return false;
    }
    return true;
  }

  #fields(node: Node, value: JsonObject, { at, old, correlation }: Context): boolean {
    const { properties, values } = node;
    if (properties.size === 0 && values === undefined) return true;
    const before = isJsonObject(old) ? old : {};
    for (const [name, inner] of Object.entries(value)) {
      const known = properties.get(name) ?? values;
      if (known === undefined) continue;
      const step = properties.has(name) ? { up: at, step: name } : { up: undefined, step: `${pathText(at)}[${name}]` };
      const was = Object.hasOwn(before, name) ? before[name] : undefined;
      if (!this.visit(known, { value: inner, at: step, old: was, correlation: correlation.key(name) })) return false;
    }
    return true;
  }

  #items({ schema, items }: Node, list: readonly Json[], { at, old, correlation }: Context): boolean {
    if (items === undefined) return true;
    const before = olderItems(schema, old);
    return list.every((value, i) =>
      this.visit(items, { value, at: { up: at, step: i }, old: before?.(value), correlation: correlation.item(i) }),
    );
  }
}

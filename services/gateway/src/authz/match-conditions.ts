import {
  Environment,
  fromData,
  listShape,
  mapShape,
  objectShape,
  type Program,
  type Shape,
  stringShape,
} from '@tidegate/cel';
import type { JsonObject } from '@tidegate/schema';
import { duplicateValue, type FieldError, invalidValue, requiredValue, tooMany } from '@tidegate/status';

const LONG = 1 << 20;
const MOST = 64;
const COST_LIMIT = 1_000_000;
const text = stringShape(LONG);
const texts = listShape(text, LONG);

function objectOf(name: string, fields: Readonly<Record<string, Shape>>): Shape {
  const named = Object.entries(fields).map(([field, shape]) => [field, { name: field, shape }] as const);
  return objectShape(`kubernetes.${name}`, new Map(named));
}

const requirement = objectOf('SelectorRequirement', { key: text, operator: text, values: texts });
const selector = { rawSelector: text, requirements: listShape(requirement, LONG) };
const resource = {
  namespace: text,
  verb: text,
  group: text,
  version: text,
  resource: text,
  subresource: text,
  name: text,
};
const requestShape = objectOf('SubjectAccessReviewSpec', {
  resourceAttributes: objectOf('ResourceAttributes', {
    ...resource,
    fieldSelector: objectOf('FieldSelectorAttributes', selector),
    labelSelector: objectOf('LabelSelectorAttributes', selector),
  }),
  nonResourceAttributes: objectOf('NonResourceAttributes', { path: text, verb: text }),
  user: text,
  groups: texts,
  extra: mapShape(texts, LONG),
  uid: text,
});
const environment = new Environment({ request: requestShape });

/** Compiles the match conditions of a webhook, and adds their mistakes to the list. */
export function readConditions(expressions: readonly string[], at: string, mistakes: FieldError[]): Program[] {
  if (expressions.length > MOST) {
    mistakes.push(tooMany(at, expressions.length, MOST));
    return [];
  }
  return expressions.flatMap((expression, i) => {
    const field = `${at}[${i}].expression`;
    if (expression.trim() === '') mistakes.push(requiredValue(field));
    else if (expressions.indexOf(expression) < i) mistakes.push(duplicateValue(field, expression));
    else {
      const compiled = environment.compile(expression);
      if (compiled.kind === 'compiled') {
        const { kind } = compiled.program.type;
        if (kind === 'bool') return [compiled.program];
        mistakes.push(invalidValue(field, expression, `must evaluate to bool but got ${kind}`));
        return [];
      }
      const failed = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed';
      mistakes.push(invalidValue(field, expression, `${failed}: ${compiled.text}`));
    }
    return [];
  });
}

/** Whether a review meets all conditions. A condition that is false outweighs one that fails to evaluate. */
export function matches(conditions: readonly Program[], spec: JsonObject): boolean | 'failed' {
  const request = fromData(withAllFields(spec), requestShape);
  const outcomes = conditions.map((program) => program.run(new Map([['request', request]]), COST_LIMIT));
  if (outcomes.some((outcome) => outcome.kind === 'value' && outcome.value !== true)) return false;
  return outcomes.some(({ kind }) => kind === 'failed') ? 'failed' : true;
}

const NO_RESOURCE = Object.fromEntries(Object.keys(resource).map((name) => [name, '']));

/** Fills absent attributes with empty strings, so that expressions can read every field. */
function withAllFields({ resourceAttributes, nonResourceAttributes, ...user }: JsonObject): JsonObject {
  return {
    user: '',
    uid: '',
    groups: [],
    extra: {},
    ...user,
    ...(resourceAttributes !== undefined && {
      resourceAttributes: { ...NO_RESOURCE, ...(resourceAttributes as JsonObject) },
    }),
    ...(nonResourceAttributes !== undefined && {
      nonResourceAttributes: { path: '', verb: '', ...(nonResourceAttributes as JsonObject) },
    }),
  };
}

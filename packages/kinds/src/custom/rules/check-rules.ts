import { isDeepStrictEqual } from 'node:util';
import type { Shape } from '@tidegate/cel';
import { isJsonObject, type Json } from '@tidegate/schema';
import { type FieldError, fieldError } from '@tidegate/status';
import { Place } from '../../rules/place.ts';
import { checkDefinitionLimits } from '../definition-limits.ts';
import { checkSchema } from '../structural.ts';
import type { JsonSchema, ValidationRule } from '../values/json-schema.ts';
import { type CompiledRule, compileRules } from './compiled-rule.ts';
import { RuleCosts, timesCost } from './rule-costs.ts';
import { checkRuleFields } from './rule-fields.ts';
import { isEmbedded, MAX_REQUEST_BYTES, shapeOf } from './shapes.ts';

/**
 * Checks the rules in the schemas of a definition. Unchanged schemas are skipped: they were checked before, and the
 * server's own writes of a definition must never fail because of them.
 */
export function checkDefinitionRules(definition: Place, before?: Place): void {
  if (exceedsLimits(definition)) return;
  const older = new Map(before === undefined ? [] : versionsOf(before).map((one) => [one.object.name, one]));
  for (const { schema, name } of schemasOf(definition)) {
    if (!hasRules(schema.object as JsonSchema)) continue;
    const known = older.get(name);
    if (known !== undefined && isDeepStrictEqual(schemaIn(known).value, schema.value)) continue;
    const found = schema.errorCount;
    eachSchema(schema, checkRuleFields);
    if (schema.errorCount === found && isStructural(schema.object as JsonSchema)) checkExpressions(schema);
  }
}

/** Whether the definition exceeds a limit. Such rules are not compiled, because that could take very long. */
function exceedsLimits(definition: Place): boolean {
  const errors: FieldError[] = [];
  checkDefinitionLimits(new Place(undefined, '', definition.value, errors).field('spec'));
  return errors.length > 0;
}

interface VersionSchema {
  readonly schema: Place;
  readonly name: Json | undefined;
}

const versionsOf = (definition: Place): Place[] => definition.field('spec.versions').items();
const schemaIn = (version: Place): Place => version.field('schema.openAPIV3Schema');

/** Errors of a field that all versions share are reported once, for the field of the spec. */
function schemasOf(definition: Place): VersionSchema[] {
  const versions = versionsOf(definition);
  const all = versions.map((version) => ({ schema: schemaIn(version), name: version.object.name }));
  const [first, ...others] = all;
  if (first === undefined || others.some(({ schema }) => !isDeepStrictEqual(schema.value, first.schema.value))) {
    return all.filter(({ schema }) => isJsonObject(schema.value));
  }
  if (!isJsonObject(first.schema.value)) return [];
  return [{ schema: definition.as('spec.validation.openAPIV3Schema', first.schema.value), name: first.name }];
}

export function hasRules(schema: JsonSchema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const inner = [...Object.values(properties), items, additionalProperties, ...allOf, ...anyOf, ...oneOf, not];
  return inner.some((one) => typeof one === 'object' && one !== null && hasRules(one));
}

/** Only structural schemas have a type. */
function isStructural(schema: JsonSchema): boolean {
  const errors: FieldError[] = [];
  checkSchema(new Place(undefined, '', { schema: schema as Json }, errors).field('schema'), false);
  return errors.length === 0;
}

const LISTS = ['allOf', 'oneOf', 'anyOf'];

function eachSchema(schema: Place, visit: (schema: Place) => void): void {
  visit(schema);
  for (const { place } of innerSchemas(schema)) eachSchema(place, visit);
  for (const place of [...LISTS.flatMap((name) => schema.field(name).items()), schema.field('not')]) {
    if (isJsonObject(place.value)) forbidNestedRules(place);
  }
}

/** Adds an error for each rule in a schema of allOf, anyOf, oneOf or not. */
function forbidNestedRules(schema: Place): void {
  const rules = schema.field('x-kubernetes-validations');
  if (!rules.isEmpty) rules.forbidden('must be empty to be structural');
  const inner = [...innerSchemas(schema).map(({ place }) => place), schema.field('not')];
  for (const place of [...inner, ...LISTS.flatMap((name) => schema.field(name).items())]) {
    if (isJsonObject(place.value)) forbidNestedRules(place);
  }
}

function innerSchemas(schema: Place): Array<{ readonly step: string; readonly place: Place }> {
  const fields = Object.entries(schema.field('properties').object);
  const properties = fields.map(([name, one]) => ({
    step: 'properties',
    place: schema.as(`properties[${name}]`, one),
  }));
  const more = ['additionalProperties', 'items'].map((step) => ({ step, place: schema.field(step) }));
  return [...properties, ...more].filter(({ place }) => isJsonObject(place.value));
}

/** The context of a schema. */
interface Context {
  readonly isRoot: boolean;
  /** how many such values an object can have; undefined: only the object's size limits it */
  readonly times: number | undefined;
  /** the schema below which values have no known old value */
  readonly uncorrelated: Place | undefined;
  readonly costs: RuleCosts;
}

function checkExpressions(root: Place): void {
  const costs = new RuleCosts();
  checkWithin(root, { isRoot: true, times: 1, uncorrelated: undefined, costs });
  costs.finish(root);
}

function checkWithin(place: Place, context: Context): void {
  const schema = place.object as JsonSchema;
  const most = maxValuesIn(schema);
  const times = context.times === undefined || most === undefined ? undefined : context.times * most;
  for (const { step, place: inner } of innerSchemas(place)) {
    const isList = step === 'items' && schema['x-kubernetes-list-type'] !== 'map';
    const uncorrelated = context.uncorrelated ?? (isList ? place : undefined);
    checkWithin(inner, { ...context, isRoot: false, times, uncorrelated });
  }
  const rules = place.field('x-kubernetes-validations');
  if (rules.isEmpty) return;
  const shape = shapeOf(schema, 'selfType', context.isRoot || isEmbedded(schema));
  if (shape === undefined) {
    rules.forbidden('there are no rules for values whose type is not known');
    return;
  }
  for (const [i, compiled] of compileRules(schema, shape).entries()) {
    checkCompiled(rules.item(i), compiled, { ...context, times: context.times ?? timesIn(shape) });
  }
}

/** The number of values within one value of the schema. */
function maxValuesIn({ type, additionalProperties, maxProperties, maxItems }: JsonSchema): number | undefined {
  const most =
    type === 'array' ? maxItems : type === 'object' && additionalProperties !== undefined ? maxProperties : 1;
  return most === undefined ? undefined : Math.max(0, most);
}

function timesIn({ minSize }: Shape): number {
  return Math.floor(MAX_REQUEST_BYTES / (minSize + 1));
}

function checkCompiled(place: Place, compiled: CompiledRule, { costs, times = 1, uncorrelated }: Context): void {
  const { program, message, problem, messageProblem, usesOldSelf, rule } = compiled;
  if (program !== undefined) costs.add(place.field('rule'), 'rule', timesCost(program.estimate.max, times));
  if (problem !== undefined) reject(place.field('rule'), rule, problem);
  if (messageProblem !== undefined) reject(place.field('messageExpression'), rule, messageProblem);
  if (message !== undefined) costs.add(place.field('messageExpression'), 'messageExpression', message.estimate.max);
  if (usesOldSelf && uncorrelated !== undefined) {
    const what = 'oldSelf cannot be used on the uncorrelatable portion of the schema within';
    place.field('rule').invalid(`${what} ${uncorrelated.path}`);
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    place.field('optionalOldSelf').invalid('may not be set if oldSelf is not used in rule');
  }
}

function reject(place: Place, rule: ValidationRule, problem: string): void {
  place.add(fieldError(place.path, 'FieldValueInvalid', `Invalid value: ${ruleText(rule)}: ${problem}`));
}

const ESCAPED = /[<>&\u2028\u2029]/g;

/** A rule as kube-apiserver prints it. */
function ruleText({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): string {
  const text = JSON.stringify({
    Rule: rule,
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  });
  return text.replace(ESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

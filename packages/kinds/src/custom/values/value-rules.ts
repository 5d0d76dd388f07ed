import { isDeepStrictEqual } from 'node:util';
import { fitsInt64, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type FieldError, fieldError, invalidValue, notSupported, requiredValue, tooLong } from '@tidegate/status';
import { type At, pathText } from './at.ts';
import { formatCheck } from './formats.ts';
import type { JsonSchema } from './json-schema.ts';
import { olderItems } from './list-items.ts';
import { matchesPattern } from './pattern.ts';

/** A value with its path and its old value. */
interface Context {
  readonly value: Json;
  readonly at: At | undefined;
  /** undefined when there is no old value, or it is unknown */
  readonly old: Json | undefined;
  readonly errors: FieldError[];
}

/**
 * Checks a value, and returns the number of checked values. When all alternatives fail, the errors of the one with the
 * highest number are reported.
 */
type Check = (context: Context) => number;

/**
 * The rules of a schema of a CustomResourceDefinition for values, compiled once for each schema.
 *
 * Invariant: an unchanged value is allowed, even when it is invalid, so that a stricter schema does not block later
 * writes.
 */
export class ValueRules {
  readonly #schema: JsonSchema;
  readonly #check: Check;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
    this.#check = checkOf(schema);
  }

  /** The rules for a part of the object: the status, which /status changes. */
  below(property: string): ValueRules {
    const part = this.#schema.properties?.[property];
    return new ValueRules(part === undefined ? {} : { properties: { [property]: part } });
  }

  errors(object: JsonObject, old?: JsonObject): FieldError[] {
    const errors: FieldError[] = [];
    this.#check({ value: object, at: undefined, old, errors });
    return errors;
  }
}

function checkOf(schema: JsonSchema): Check {
  const isType = typeCheck(schema);
  const enumCheck = ofEnum(schema);
  const checks = [
    ...alternatives(schema),
    ...textChecks(schema),
    ...numberChecks(schema),
    ...listChecks(schema),
    ...(enumCheck === undefined ? [] : [enumCheck]),
    ...objectChecks(schema),
  ];
  return (context) => {
    const { errors, old, value } = context;
    const before = errors.length;
    let visited = isType(context);
    if (value === null) visited += enumCheck?.(context) ?? 0;
    else for (const check of checks) visited += check(context);
    if (errors.length > before && old !== undefined && isDeepStrictEqual(value, old)) errors.length = before;
    return visited + 1;
  };
}

const inBody = (at: At | undefined) => `${pathText(at)} in body`;

function addInvalid({ at, value, errors }: Context, what: string, shown: unknown = value): void {
  errors.push(invalidValue(pathText(at) || '<nil>', shown, `${inBody(at)} ${what}`));
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function typeCheck(schema: JsonSchema): Check {
  const types = typesOf(schema);
  if (types.length === 0) return () => 1;
  const list = types.join(',');
  return ({ value, at, errors }) => {
    const found = jsonTypeOf(value);
    if (value === null ? schema.nullable : types.includes(found)) return 1;
    if (found === 'integer' && types.includes('number')) return 1;
    const path = pathText(at) || '<nil>';
    const message = `Invalid value: ${JSON.stringify(found)}: ${inBody(at)} must be of type ${list}: ${JSON.stringify(found)}`;
    errors.push(fieldError(path, 'FieldValueTypeInvalid', message));
    return 1;
  };
}

function jsonTypeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return fitsInt64(value) ? 'integer' : 'number';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < MAX_WHOLE ? 'integer' : 'number';
  return typeof value;
}

function alternatives({ allOf, anyOf, oneOf, not }: JsonSchema): Check[] {
  const checks: Check[] = [];
  if (anyOf !== undefined && anyOf.length > 0) checks.push(ofAny(anyOf.map(checkOf)));
  if (oneOf !== undefined && oneOf.length > 0) checks.push(ofOne(oneOf.map(checkOf)));
  if (allOf !== undefined && allOf.length > 0) checks.push(ofAll(allOf.map(checkOf)));
  if (not !== undefined) checks.push(ofNone(checkOf(not)));
  return checks;
}

interface Attempt {
  readonly errors: FieldError[];
  readonly visited: number;
}

function attemptEach(checks: readonly Check[], context: Context): Attempt[] {
  return checks.map((check) => {
    const errors: FieldError[] = [];
    return { visited: check({ ...context, errors }), errors };
  });
}

function nearest(attempts: readonly Attempt[]): Attempt | undefined {
  let best: Attempt | undefined;
  for (const one of attempts) if (best === undefined || one.visited > best.visited) best = one;
  return best;
}

/** This error is reported for the whole object, because it is not about a single field. */
function addObjectError({ at, errors }: Context, what: string): void {
  errors.push(invalidValue('<nil>', '', `${JSON.stringify(pathText(at))} ${what}`));
}

function ofAny(checks: readonly Check[]): Check {
  return (context) => {
    const attempts = attemptEach(checks, context);
    if (attempts.some(({ errors }) => errors.length === 0)) return 1;
    addObjectError(context, 'must validate at least one schema (anyOf)');
    context.errors.push(...(nearest(attempts)?.errors ?? []));
    return 1;
  };
}

function ofOne(checks: readonly Check[]): Check {
  return (context) => {
    const attempts = attemptEach(checks, context);
    const valid = attempts.filter(({ errors }) => errors.length === 0).length;
    if (valid === 1) return 1;
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    addObjectError(context, `must validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) context.errors.push(...(nearest(attempts)?.errors ?? []));
    return 1;
  };
}

function ofAll(checks: readonly Check[]): Check {
  return (context) => {
    const attempts = attemptEach(checks, context);
    const failed = attempts.filter(({ errors }) => errors.length > 0);
    context.errors.push(...failed.flatMap(({ errors }) => errors));
    const none = failed.length === checks.length ? '. None validated' : '';
    if (failed.length > 0) addObjectError(context, `must validate all the schemas (allOf)${none}`);
    return 1;
  };
}

function ofNone(check: Check): Check {
  return (context) => {
    const errors: FieldError[] = [];
    check({ ...context, old: undefined, errors });
    if (errors.length === 0) addObjectError(context, 'must not validate the schema (not)');
    return 1;
  };
}

function ofEnum({ enum: allowed }: JsonSchema): Check | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  const isPlain = (one: Json): boolean => typeof one !== 'object' || one === null;
  const plain = new Set(allowed.filter(isPlain));
  const others = allowed.filter((one) => !isPlain(one));
  const texts = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return ({ value, at, errors }) => {
    const known = isPlain(value) ? plain.has(value) : others.some((one) => isDeepStrictEqual(one, value));
    if (!known) errors.push(notSupported(pathText(at) || '<nil>', value, texts));
    return 1;
  };
}

/** The number of characters; in most texts it is the length in JavaScript. */
function charactersOf(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  return count;
}

function textChecks({ minLength, maxLength, pattern, format }: JsonSchema): Check[] {
  const checks: Array<(text: string, context: Context) => void> = [];
  if (maxLength !== undefined) {
    checks.push((text, { at, errors }) => {
      if (text.length <= maxLength || charactersOf(text) <= maxLength) return;
      errors.push(tooLong(pathText(at) || '<nil>', `may not be more than ${maxLength} bytes`));
    });
  }
  if (minLength !== undefined) {
    checks.push((text, context) => {
      if (charactersOf(text) < minLength) addInvalid(context, `should be at least ${minLength} chars long`);
    });
  }
  if (pattern !== undefined && pattern !== '') {
    checks.push((text, context) => {
      if (matchesPattern(pattern, text) !== true) addInvalid(context, `should match '${pattern}'`);
    });
  }
  const hasFormat = formatCheck(format);
  if (hasFormat !== undefined) {
    checks.push((text, { at, errors }) => {
      if (hasFormat(text)) return;
      const shown = JSON.stringify(text);
      const message = `Invalid value: ${shown}: ${inBody(at)} must be of type ${format}: ${shown}`;
      errors.push(fieldError(pathText(at) || '<nil>', 'FieldValueTypeInvalid', message));
    });
  }
  if (checks.length === 0) return [];
  return [
    (context) => {
      if (typeof context.value !== 'string') return 0;
      const before = context.errors.length;
      for (const check of checks) {
        check(context.value, context);
        // a text that is too long gets no other errors
        if (context.errors.length > before) break;
      }
      return 1;
    },
  ];
}

function numberChecks(schema: JsonSchema): Check[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum === undefined && maximum === undefined && multipleOf === undefined) return [];
  return [
    (context) => {
      const { value } = context;
      if (typeof value !== 'number' && typeof value !== 'bigint') return 0;
      if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
        addInvalid(context, `should be a multiple of ${multipleOf}`);
      }
      if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
        addInvalid(context, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
      }
      if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
        addInvalid(context, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
      }
      return 1;
    },
  ];
}

/** An integer has at most 64 bits. */
const MAX_WHOLE = 2 ** 63;

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return Number.isInteger(factor) && value % BigInt(factor) === 0n;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function listChecks(schema: JsonSchema): Check[] {
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (items === undefined && minItems === undefined && maxItems === undefined && !uniqueItems) return [];
  const itemCheck = items === undefined ? undefined : checkOf(items);
  return [
    (context) => {
      const { value, at, old, errors } = context;
      if (!Array.isArray(value)) return 0;
      let visited = 1;
      if (itemCheck !== undefined) {
        const before = olderItems(schema, old);
        for (const [i, item] of value.entries()) {
          visited += itemCheck({ value: item, at: { up: at, step: i }, old: before?.(item), errors });
        }
      }
      const { length } = value;
      if (minItems !== undefined && length < minItems)
        addInvalid(context, `should have at least ${minItems} items`, length);
      if (maxItems !== undefined && length > maxItems) errors.push(tooMany(at, length, maxItems));
      if (uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < length) {
        addInvalid(context, "shouldn't contain duplicates", '');
      }
      return visited;
    },
  ];
}

function tooMany(at: At | undefined, found: number, most: number): FieldError {
  const message = `Too many: ${found}: must have at most ${most} items`;
  return fieldError(pathText(at) || '<nil>', 'FieldValueTooMany', message);
}

function objectChecks(schema: JsonSchema): Check[] {
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const inner = new Map(Object.entries(properties).map(([name, property]) => [name, checkOf(property)]));
  const other = typeof additionalProperties === 'object' ? checkOf(additionalProperties) : undefined;
  const isCounted = minProperties !== undefined || maxProperties !== undefined;
  const isClosed = additionalProperties === false;
  if (inner.size === 0 && other === undefined && required.length === 0 && !isCounted && !isClosed) return [];
  return [
    (context) => {
      const { value, at, old, errors } = context;
      if (!isJsonObject(value)) return 0;
      const before = isJsonObject(old) ? old : undefined;
      let visited = 1;
      const names = Object.keys(value);
      if (minProperties !== undefined && names.length < minProperties) {
        addInvalid(context, `should have at least ${minProperties} properties`, names.length);
      }
      if (maxProperties !== undefined && names.length > maxProperties) {
        errors.push(tooMany(at, names.length, maxProperties));
      }
      for (const name of names) {
        const check = inner.get(name) ?? other;
        if (check === undefined) {
          if (isClosed) errors.push(invalidValue(pathText(at) || '<nil>', name, forbiddenProperty(at, name)));
          continue;
        }
        const was = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
        visited += check({ value: value[name] as Json, at: { up: at, step: name }, old: was, errors });
      }
      for (const name of required) {
        if (!Object.hasOwn(value, name)) errors.push(requiredValue(pathText({ up: at, step: name })));
      }
      return visited;
    },
  ];
}

function forbiddenProperty(at: At | undefined, name: string): string {
  return `${pathText(at)}.${name} in body is a forbidden property`;
}

import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';

type Step = (values: readonly Json[]) => Json[];

/** Returns the values at a path of an object. */
type JsonPath = (object: JsonObject) => Json[];

/**
 * Parses a path of kubectl, as far as columns and scales use them:
 *
 *   .spec.replicas   .metadata.annotations.example\.com/x   ['a.b']   .items[0]   [-1]   [1:3]   [*]   .*   ..name
 *   .conditions[?(@.type=="Ready")].status   [?(@.weight>3)]   [?(@.name)]
 *
 * undefined: the text is not such a path.
 */
export function jsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '');
  while (rest !== '') {
    const next = bracket(rest) ?? dotted(rest);
    if (next === undefined) return undefined;
    steps.push(next.step);
    rest = rest.slice(next.length);
  }
  return (object) => {
    let values: Json[] = [object];
    for (const step of steps) values = step(values);
    return values;
  };
}

interface Parsed {
  readonly step: Step;
  readonly length: number;
}

const NAME = /^(\.\.|\.)?((?:\\.|[^.[\]\\\s{}()'"])+|\*)/;

function dotted(text: string): Parsed | undefined {
  const match = NAME.exec(text);
  if (match === null) return undefined;
  const [{ length }, dots = '', name = ''] = match;
  if (name === '*') return { step: dots === '..' ? everyDeep : every, length };
  const key = name.replace(/\\(.)/g, '$1');
  return { step: dots === '..' ? deep(key) : member(key), length };
}

const QUOTED = /^\.?\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/;
const INDEX = /^\.?\[\s*(-?\d+)\s*\]/;
const SLICE = /^\.?\[\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(\d*)\s*)?\]/;
const ALL = /^\.?\[\s*\*\s*\]/;
const FILTER = /^\.?\[\?\(\s*@((?:[^'"()=<>!]|\\.)*?)\s*(?:(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^'")\s]+)\s*)?\)\]/;

function bracket(text: string): Parsed | undefined {
  let match = QUOTED.exec(text);
  if (match !== null)
    return { step: member((match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1')), length: match[0].length };
  match = INDEX.exec(text);
  if (match !== null) return { step: item(Number(match[1])), length: match[0].length };
  match = ALL.exec(text);
  if (match !== null) return { step: every, length: match[0].length };
  match = SLICE.exec(text);
  if (match !== null) return { step: slice(match[1] ?? '', match[2] ?? '', match[3] ?? ''), length: match[0].length };
  match = FILTER.exec(text);
  if (match === null) return undefined;
  const step = filter(match[1] ?? '', match[2], match[3] ?? '');
  return step === undefined ? undefined : { step, length: match[0].length };
}

function member(key: string): Step {
  return (values) =>
    values.flatMap((value) => (isJsonObject(value) && Object.hasOwn(value, key) ? [value[key] as Json] : []));
}

const every: Step = (values) =>
  values.flatMap((value) => {
    if (Array.isArray(value)) return value;
    return isJsonObject(value) ? Object.values(value) : [];
  });

const everyDeep: Step = (values) =>
  values.flatMap((value) => {
    const inner = every([value]);
    return [...inner, ...everyDeep(inner)];
  });

function deep(key: string): Step {
  const here = member(key);
  return (values) => [...here(values), ...values.flatMap((value) => here(everyDeep([value])))];
}

function item(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = Array.isArray(value) ? value.at(index) : undefined;
      return found === undefined ? [] : [found];
    });
}

function slice(from: string, to: string, by: string): Step {
  const start = from === '' ? 0 : Number(from);
  const end = to === '' ? undefined : Number(to);
  const width = by === '' ? 1 : Math.max(1, Number(by));
  return (values) =>
    values.flatMap((value) => (Array.isArray(value) ? value.slice(start, end).filter((_, i) => i % width === 0) : []));
}

function filter(path: string, operator: string | undefined, literalText: string): Step | undefined {
  const find = path === '' ? (value: Json) => [value] : (jsonPath(path) as ((value: Json) => Json[]) | undefined);
  if (find === undefined) return undefined;
  const isWanted =
    operator === undefined ? (found: Json) => found !== null : comparison(operator, literal(literalText));
  return (values) => every(values).filter((value) => find(value).some(isWanted));
}

function literal(literalText: string): Json {
  if (/^['"]/.test(literalText)) return literalText.slice(1, -1);
  if (literalText === 'true' || literalText === 'false') return literalText === 'true';
  const number = Number(literalText);
  return Number.isNaN(number) ? literalText : number;
}

function comparison(operator: string, wanted: Json): (found: Json) => boolean {
  if (operator === '==') return (found) => found === wanted;
  if (operator === '!=') return (found) => found !== wanted;
  const holds = (found: number | string, limit: number | string): boolean => {
    if (operator === '<') return found < limit;
    if (operator === '>') return found > limit;
    return operator === '<=' ? found <= limit : found >= limit;
  };
  return (found) => typeof found === typeof wanted && holds(found as number | string, wanted as number | string);
}

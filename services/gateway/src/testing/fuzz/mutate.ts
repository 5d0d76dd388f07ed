import { isJsonObject, type Json, type JsonObject, setOwn } from '@tidegate/schema';
import type { Random } from '@tidegate/testkit';

const TEXTS = [
  '9223372036854775807',
  '-9223372036854775809',
  '1e400',
  '1.0',
  '\\ud800',
  '\\u0000',
  '__proto__',
  'constructor',
  'null',
  '{"a":{"a":1,"a":2}}',
  '[[[[[[[[',
  '{"a":'.repeat(700),
  '$patch',
  '$setElementOrder/containers',
  '- ',
  '&a *a',
  '!!binary x',
  '? ',
  '<<: ',
  'k8s\0',
  '\xff\xfe',
  'P1Y',
  '99999999999999999999Gi',
  '*/1 * * * *',
  '999999-12-31T23:59:60Z',
  '::ffff:1.2.3.4/129',
];

const VALUES: readonly Json[] = [
  null,
  true,
  '',
  'x',
  'a'.repeat(300),
  '\0',
  '\ud800',
  0,
  -1,
  -0,
  1.5,
  1e300,
  2 ** 31,
  2 ** 53,
  2n ** 63n - 1n,
  -(2n ** 63n),
  10n ** 30n,
  [],
  {},
  [null],
  [[], {}],
  '9'.repeat(40),
  '2026-02-30T25:00:00Z',
  '1e999999999',
  '300.300.300.300',
  '10.0.0.0/33',
  '%',
  '../..',
];

/** Changes, moves, duplicates or removes a few bytes, or inserts words with a special meaning. */
export function mutateBytes(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let result = bytes;
  for (let times = 1 + random.below(4); times > 0; times--) result = changed(result, other, random);
  return result.subarray(0, 64 << 10);
}

function changed(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const from = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, from + random.below(random.chance(0.5) ? 4 : 200));
  const put = (middle: Buffer) => Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)]);
  switch (random.below(7)) {
    case 0:
      return put(Buffer.from([random.below(256)]));
    case 1:
      return put(Buffer.alloc(0));
    case 2:
      return put(Buffer.concat([bytes.subarray(from, to), bytes.subarray(from, to)]));
    case 3:
      return put(Buffer.from(random.pick(TEXTS), 'latin1'));
    case 4:
      return put(other.subarray(random.below(other.length + 1)).subarray(0, 200));
    case 5:
      return bytes.subarray(0, from);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0)
        copy[random.below(copy.length)] = (copy[random.below(copy.length)] ?? 0) ^ (1 << random.below(8));
      return copy;
    }
  }
}

/** Replaces, removes, renames or moves some parts of a value. */
export function mutateValue(value: Json, random: Random): Json {
  let result = value;
  for (let times = 1 + random.below(3); times > 0; times--) result = walk(result, random);
  return result;
}

function walk(value: Json, random: Random): Json {
  const places = Array.isArray(value) ? [...value.keys()] : isJsonObject(value) ? Object.keys(value) : [];
  if (places.length === 0 || random.chance(0.15)) return replaced(value, random);
  const place = random.pick<string | number>(places);
  if (Array.isArray(value)) return value.map((item, i) => (i === place ? walk(item, random) : item));
  const copy: JsonObject = {};
  for (const key of Object.keys(value as JsonObject)) {
    const item = (value as JsonObject)[key] as Json;
    if (key !== place) setOwn(copy, key, item);
    else if (random.chance(0.05))
      setOwn(copy, random.pick(['__proto__', 'x', 'metadata', '', key.toUpperCase()]), item);
    else if (!random.chance(0.05)) setOwn(copy, key, walk(item, random));
  }
  return copy;
}

function replaced(value: Json, random: Random): Json {
  switch (random.below(5)) {
    case 0:
      return [value, value];
    case 1:
      return { x: value };
    case 2: {
      let deep: Json = value;
      for (let levels = random.below(700); levels > 0; levels--) deep = levels % 2 === 0 ? [deep] : { a: deep };
      return deep;
    }
    default:
      return random.pick(VALUES);
  }
}

/** A decoder of input from outside. */
export interface Target {
  readonly name: string;
  /** Returns a new input. */
  input(random: Random): Buffer;
  /** Decodes the input, or throws the error for the client. An accepted input must have a consistent result. */
  take(input: Buffer): void;
}

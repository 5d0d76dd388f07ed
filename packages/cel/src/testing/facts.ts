import { ArrayList, ValueMap } from '../values/collections.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { TypeValue, Uint, type Value } from '../values/value.ts';

/** A value in the format of the recorded cases: `["int", "1"]`, `["list", ...]`; true, false and null are unchanged. */
export type Fact = null | boolean | string | Fact[];

export function valueOfFact(fact: Fact): Value {
  if (!Array.isArray(fact)) return fact;
  const [kind, ...rest] = fact;
  const [first = '', second = ''] = rest.map(String);
  switch (kind) {
    case 'int':
      return BigInt(first);
    case 'uint':
      return new Uint(BigInt(first));
    case 'double':
      return Number(first.replace(/^(-?)inf(inity)?$/i, '$1Infinity').replace(/^nan$/i, 'NaN'));
    case 'bytes':
      return new Uint8Array(Buffer.from(first, 'hex'));
    case 'type':
      return new TypeValue(first);
    case 'duration':
      return new Duration(BigInt(first) * 1_000_000_000n + BigInt(second));
    case 'timestamp':
      return new Timestamp(BigInt(first) * 1_000_000_000n + BigInt(second));
    case 'list':
      return new ArrayList(rest.map(valueOfFact));
    case 'map':
      return ValueMap.of(
        rest.flatMap((key, i) => (i % 2 === 0 ? [[valueOfFact(key), valueOfFact(rest[i + 1] as Fact)] as const] : [])),
      );
    default:
      return first;
  }
}

import { parseQuantity } from '@tidegate/schema';
import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const QUANTITY = opaqueType('kubernetes.Quantity');
const UNIT = 1_000_000_000n;

/** A quantity in billionths, its smallest unit. */
class Quantity extends OpaqueValue {
  override readonly type = QUANTITY;
  readonly billionths: bigint;

  constructor(billionths: bigint) {
    super();
    this.billionths = billionths;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof Quantity && other.billionths === this.billionths;
  }
}

/** Longer texts are not parsed. */
const MAX_LENGTH = 1000;

function read(text: string): ReturnType<typeof parseQuantity> {
  return parseQuantity(text.length > MAX_LENGTH ? '' : text);
}

function quantity([text]: [string]): Quantity {
  const found = read(text);
  if ('problem' in found) throw new Failure(found.problem);
  return new Quantity(found.nanos);
}

type Two = [Quantity, Quantity];

const order = ([a, b]: Two): bigint => (a.billionths < b.billionths ? -1n : a.billionths > b.billionths ? 1n : 0n);

function whole({ billionths }: Quantity): bigint | undefined {
  if (billionths % UNIT !== 0n) return undefined;
  const value = billionths / UNIT;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function asInteger([value]: [Quantity]): bigint {
  const found = whole(value);
  if (found === undefined) throw new Failure('cannot convert value to integer');
  return found;
}

function sum(sign: bigint) {
  return ([a, b]: Two) => new Quantity(a.billionths + sign * b.billionths);
}

function sumWith(sign: bigint) {
  return ([a, b]: [Quantity, bigint]) => new Quantity(a.billionths + sign * b * UNIT);
}

const Q = 'kubernetes.Quantity';

export const quantities: readonly Overload[] = [
  overload('string_to_quantity', `quantity(string): ${Q}`, quantity),
  overload('is_quantity_string', 'isQuantity(string): bool', ([text]: [string]) => !('problem' in read(text))),
  overload('quantity_sign', `sign(${Q}): int`, ([value]: [Quantity]) => order([value, new Quantity(0n)])),
  overload('quantity_is_greater_than', `${Q}::isGreaterThan(${Q}): bool`, (two: Two) => order(two) > 0n),
  overload('quantity_is_less_than', `${Q}::isLessThan(${Q}): bool`, (two: Two) => order(two) < 0n),
  overload('quantity_compare_to', `${Q}::compareTo(${Q}): int`, order),
  overload(
    'quantity_get_float',
    `${Q}::asApproximateFloat(): double`,
    ([value]: [Quantity]) => Number(value.billionths) / Number(UNIT),
  ),
  overload('quantity_get_int', `${Q}::asInteger(): int`, asInteger),
  overload('quantity_is_integer', `${Q}::isInteger(): bool`, ([value]: [Quantity]) => whole(value) !== undefined),
  overload('quantity_add', `${Q}::add(${Q}): ${Q}`, sum(1n)),
  overload('quantity_add_int', `${Q}::add(int): ${Q}`, sumWith(1n)),
  overload('quantity_sub', `${Q}::sub(${Q}): ${Q}`, sum(-1n)),
  overload('quantity_sub_int', `${Q}::sub(int): ${Q}`, sumWith(-1n)),
];

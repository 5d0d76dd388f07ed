const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Longer numbers only keep their first digits, because exact conversion takes more than linear time. */
const MAX_DIGITS = 64;

/** An integer from its decimal digits, with an optional sign. */
export function wholeNumber(digits: string): number | bigint {
  const near = Number(digits);
  if (Number.isSafeInteger(near) || !Number.isFinite(near)) return near;
  return BigInt(digits.length > MAX_DIGITS ? near : digits);
}

/** The integer as a number if it is safe, as a bigint otherwise. */
export function narrow(exact: bigint): number | bigint {
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

export function fitsInt64(exact: bigint): boolean {
  return exact >= MIN_INT64 && exact <= MAX_INT64;
}

/** Whether it fits into 64 bits, signed or unsigned. */
export function fits64Bits(exact: bigint): boolean {
  return exact >= MIN_INT64 && exact < 2n ** 64n;
}

declare global {
  interface BigInt {
    toJSON(): unknown;
  }
}

/** The engine has this function; the types of this language level do not. */
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** Makes JSON.stringify write a bigint as its digits. */
BigInt.prototype.toJSON = function (this: bigint) {
  return rawJSON(this.toString());
};

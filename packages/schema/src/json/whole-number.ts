const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/** Of longer numbers only the first digits are kept: the time that exact ones take grows faster than they do. */
const MOST_DIGITS = 64;

/** A whole number from its decimal digits, which may have a sign before them. */
export function wholeNumber(digits: string): number | bigint {
  const near = Number(digits);
  if (Number.isSafeInteger(near) || !Number.isFinite(near)) return near;
  return BigInt(digits.length > MOST_DIGITS ? near : digits);
}

/** A whole number in the one form that it has here. */
export function narrow(exact: bigint): number | bigint {
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

export function fitsInt64(exact: bigint): boolean {
  return exact >= LEAST && exact <= MOST;
}

/** Whether it fits into 64 bits, with a sign or without. */
export function fits64Bits(exact: bigint): boolean {
  return exact >= LEAST && exact < 2n ** 64n;
}

declare global {
  interface BigInt {
    toJSON(): unknown;
  }
}

/** The engine has it; the types of this language level do not. */
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** JSON.stringify writes a bigint as its digits, in whichever place of an object it meets one. */
BigInt.prototype.toJSON = function (this: bigint) {
  return rawJSON(this.toString());
};

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/** Nobody counts so far: more digits are a double, because the time that exact ones take grows faster than they do. */
const MOST_DIGITS = 64;

/** A whole number from its decimal digits, which may have a sign before them. */
export function wholeNumber(digits: string): number | bigint {
  const near = Number(digits);
  return Number.isSafeInteger(near) || digits.length > MOST_DIGITS ? near : BigInt(digits);
}

/** A whole number in the one form that it has here. */
export function narrow(exact: bigint): number | bigint {
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

export function fitsInt64(exact: bigint): boolean {
  return exact >= LEAST && exact <= MOST;
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

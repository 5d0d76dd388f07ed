/**
 * The CRC-32 of two texts in a row, computed from their two CRCs, without reading the texts again.
 *
 * A CRC is the remainder of a polynomial over GF(2), lowest power in the highest bit. Appending n zero bytes
 * multiplies it by x^(8n), and the CRC of A followed by B is crc(A) * x^(8 |B|) + crc(B). The factor depends on the
 * length of B only, so it is computed once for each text that is appended often.
 */
export function appendFactor(byteLength: number): number {
  let power = ONE;
  let n = byteLength;
  // byteLength = sum of 2^k, so x^(8 byteLength) = product of x^(2^(k+3))
  for (let k = 3; n > 0; k++) {
    if (n % 2 === 1) power = multiply(SQUARES[k & 31] as number, power);
    n = Math.floor(n / 2);
  }
  return power;
}

export function combineCrc32(first: number, second: number, factorOfSecond: number): number {
  return (multiply(factorOfSecond, first) ^ second) >>> 0;
}

const POLYNOMIAL = 0xedb88320;
/** x^0 */
const ONE = 0x80000000;

/** x^(2^k) for each k; x^(2^32) is x again, so that 32 are enough for any length. */
const SQUARES: readonly number[] = squares();

function squares(): number[] {
  const all = [ONE >>> 1];
  while (all.length < 32) {
    const last = all[all.length - 1] as number;
    all.push(multiply(last, last));
  }
  return all;
}

/** a * b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/**
 * An amount with a unit: `500m`, `1.5Gi`, `1e3`. It is stored in billionths, the finest unit of Kubernetes, with the
 * family of its suffix, in which it is printed.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly family: 'binary' | 'decimal' | 'exponent';
}

/** Why a text is not a quantity, in the words of Kubernetes. */
export type QuantityProblem = { readonly problem: string };

const FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = "unable to parse quantity's suffix";

const NANO = 1_000_000_000n;
const MAX_NANOS = (2n ** 63n - 1n) * NANO;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** the fast path: up to three digits with a unit are already canonical, and nearly all quantities have this form */
const PRINTED = /^[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTPE]i)?$/;
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*)([-+]?\d*)$/;

/** A limit, because an exact amount of a million digits would take minutes. */
const MAX_LENGTH = 1000;

export function parseQuantity(text: string): Quantity | QuantityProblem {
  if (text.length > MAX_LENGTH) return { problem: `quantities must have no more than ${MAX_LENGTH} characters` };
  const [, sign, whole = '', fraction = '', letters = '', power = ''] = PARTS.exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === '')) return { problem: FORM };
  const unit = unitOf(letters, power);
  if (unit === undefined) return { problem: SUFFIX };
  let above = BigInt(whole + fraction) * NANO * unit.factor;
  let below = 10n ** BigInt(fraction.length);
  if (unit.power >= 0) above *= 10n ** BigInt(unit.power);
  else below *= 10n ** BigInt(-unit.power);
  // amounts are rounded up to billionths
  const nanos = (above + below - 1n) / below;
  const amount = unit.family === 'binary' && nanos > MAX_NANOS ? MAX_NANOS : nanos;
  return { nanos: sign === '-' ? -amount : amount, family: unit.family };
}

interface Unit {
  readonly factor: bigint;
  readonly power: number;
  readonly family: Quantity['family'];
}

function unitOf(letters: string, power: string): Unit | undefined {
  if (/^[eE]$/.test(letters) && power !== '') {
    const exponent = Number(power);
    // beyond these exponents every amount is zero or the maximum
    return { factor: 1n, power: Math.max(-400, Math.min(400, exponent)), family: 'exponent' };
  }
  if (power !== '') return undefined;
  const decimal = DECIMAL.indexOf(letters);
  if (decimal >= 0) return { factor: 1n, power: decimal * 3 - 9, family: 'decimal' };
  const binary = BINARY.indexOf(letters);
  return binary < 0 ? undefined : { factor: 1024n ** BigInt(binary), power: 0, family: 'binary' };
}

/** Prints a quantity as Kubernetes does: in the largest unit of its family that is exact. */
export function printQuantity({ nanos, family }: Quantity): string {
  if (nanos === 0n) return '0';
  const small = nanos > -1024n * NANO && nanos < 1024n * NANO;
  if (family === 'binary' && !small && nanos % NANO === 0n) return printBinary(nanos / NANO);
  let [amount, power] = [nanos, -9];
  while (amount % 1000n === 0n && (family === 'exponent' || power < 18)) {
    amount /= 1000n;
    power += 3;
  }
  if (family === 'exponent') return power === 0 ? String(amount) : `${amount}e${power}`;
  return `${amount}${DECIMAL[(power + 9) / 3]}`;
}

function printBinary(whole: bigint): string {
  let [amount, unit] = [whole, 0];
  while (amount % 1024n === 0n && unit < BINARY.length - 1) {
    amount /= 1024n;
    unit++;
  }
  return `${amount}${BINARY[unit]}`;
}

const MILLI = 1_000_000n;

/** The text of a quantity as it is stored. Amounts of resources are rounded up to thousandths. */
export function canonicalQuantity(text: string, unit: 'nano' | 'milli' = 'nano'): string | QuantityProblem {
  if (PRINTED.test(text)) return text;
  const quantity = parseQuantity(text);
  if ('problem' in quantity) return quantity;
  const rest = unit === 'milli' ? quantity.nanos % MILLI : 0n;
  if (rest === 0n) return isKept(text) ? text : printQuantity(quantity);
  return printQuantity({ ...quantity, nanos: quantity.nanos - rest + (quantity.nanos > 0n ? MILLI : 0n) });
}

/** Kubernetes keeps some spellings that are not the shortest, such as `1.234` and `1E3`. */
function isKept(text: string): boolean {
  const [, , whole = '', fraction = '', letters = '', power = ''] = PARTS.exec(text) ?? [];
  const digits = `${whole.replace(/^0+/, '') || '0'}${fraction}`;
  const binary = BINARY.indexOf(letters);
  if (binary > 0) {
    return fraction === '' && digits.length + 3 * binary <= 14 && (Number(digits) & 7) !== 0;
  }
  const exponent = power === '' ? DECIMAL.indexOf(letters) * 3 - 9 : Number(power);
  const scale = exponent - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

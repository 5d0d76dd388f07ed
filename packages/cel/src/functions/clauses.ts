const USUAL_PRECISION = 6;
const MAX_PRECISION = 100;

/** One clause of a format: `%.2f`. */
export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X';
  readonly precision: number;
}

/** The error for a value that a clause cannot format. */
export const UNFIT: Readonly<Record<Clause['verb'], string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
};

const CLAUSE = /%(?:(%)|(?:\.(\d+))?(.?))/gsu;

/** Splits a format into literal texts and clauses. `count` is the number of values. */
export function clausesOf(text: string, count: number): { parts: Array<string | Clause> } | { problem: string } {
  const parts: Array<string | Clause> = [];
  let [end, taken] = [0, 0];
  for (const match of text.matchAll(CLAUSE)) {
    const [whole, percent, digits, verb = ''] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (percent !== undefined) {
      parts.push('%');
      continue;
    }
    if (taken >= count) return { problem: `index ${taken} out of range` };
    taken++;
    if (verb === '') return { problem: 'unexpected end of string' };
    const precision = digits === undefined ? USUAL_PRECISION : Number(digits);
    const what = Object.hasOwn(UNFIT, verb) ? undefined : `unrecognized formatting clause "${verb}"`;
    const problem = what ?? (precision > MAX_PRECISION ? `precision ${digits} is too large` : undefined);
    if (problem !== undefined) return { problem: `could not parse formatting clause: ${problem}` };
    parts.push({ verb: verb as Clause['verb'], precision });
  }
  parts.push(text.slice(end));
  return { parts };
}

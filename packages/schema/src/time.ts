/** Why a text is not a time, in the words of Go's parser. */
export type TimeProblem = { readonly problem: string };

/** The pieces of Go's layout for a time, and the text that each of them accepts. */
const PIECES: ReadonlyArray<readonly [layout: string, takes: RegExp, range?: readonly [string, number, number]]> = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/, ['month', 1, 12]],
  ['-', /^-/],
  ['02', /^\d{2}/, ['day', 1, 31]],
  ['T', /^T/],
  ['15', /^\d{2}/, ['hour', 0, 23]],
  [':', /^:/],
  ['04', /^\d{2}/, ['minute', 0, 59]],
  [':', /^:/],
  ['05', /^\d{2}/, ['second', 0, 59]],
];
const MICROS = ['.000000', /^\.\d{6}/] as const;
const ZONE = ['Z07:00', /^(?:Z|[+-]\d{2}:\d{2})/] as const;
const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICROS_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const PRINTED = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/;

/** A time as it is written in objects, in whole seconds. */
export function printTime(moment = new Date()): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

/** A time as it is stored: in UTC, in seconds or microseconds. */
export function canonicalTime(text: string, unit: 'seconds' | 'micros'): string | TimeProblem {
  const printed = PRINTED.exec(text);
  if (printed !== null && (printed[1] !== undefined) === (unit === 'micros')) return text;
  const problem = problemOf(text, unit);
  if (problem !== undefined) return { problem };
  const moment = new Date(Date.parse(text)).toISOString();
  if (unit === 'seconds') return `${moment.slice(0, 19)}Z`;
  return `${moment.slice(0, 19)}${/\.\d{6}/.exec(text)?.[0]}Z`;
}

function problemOf(text: string, unit: 'seconds' | 'micros'): string | undefined {
  const layout = unit === 'seconds' ? SECONDS_LAYOUT : MICROS_LAYOUT;
  let rest = text;
  for (const [piece, takes, range] of unit === 'seconds' ? [...PIECES, ZONE] : [...PIECES, MICROS, ZONE]) {
    // Go accepts a fraction of a second although the layout has none
    if (piece === 'Z07:00' && unit === 'seconds') rest = rest.replace(/^[.,]\d+/, '');
    const taken = takes.exec(rest)?.[0];
    if (taken === undefined) {
      return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(piece)}`;
    }
    if (range !== undefined && (Number(taken) < range[1] || Number(taken) > range[2]))
      return outOfRange(text, range[0]);
    rest = rest.slice(taken.length);
  }
  if (rest !== '') return `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`;
  const day = Number(text.slice(8, 10));
  const last = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return day > last ? outOfRange(text, 'day') : undefined;
}

function outOfRange(text: string, what: string): string {
  return `parsing time ${JSON.stringify(text)}: ${what} out of range`;
}

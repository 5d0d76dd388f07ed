interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, names: MONTHS },
  { name: 'weekday', least: 0, most: 6, names: DAYS },
];
const MACROS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** The error of a schedule of five fields, with the text of the parser that Kubernetes uses. */
export function scheduleProblem(text: string): string | undefined {
  if (text.startsWith('@')) {
    if (MACROS.has(text) || /^@every (?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
    return `unrecognized descriptor: ${text}`;
  }
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(',')) {
      const problem = rangeProblem(range, FIELDS[index] as Field);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function rangeProblem(text: string, field: Field): string | undefined {
  const [range = '', step, ...more] = text.split('/');
  if (more.length > 0) return `too many slashes: ${text}`;
  const [from = '', to, ...others] = range.split('-');
  if (others.length > 0) return `too many hyphens: ${text}`;
  const wild = from === '*' || from === '?';
  const start = wild ? field.least : numberOf(from, field);
  if (typeof start === 'string') return start;
  const last = wild ? field.most : endOf(to, start, step, field);
  if (typeof last === 'string') return last;
  const by = step === undefined ? 1 : numberOf(step, { ...field, names: [] });
  if (typeof by === 'string') return by;
  if (start < field.least) return `beginning of range (${start}) below minimum (${field.least}): ${text}`;
  if (last > field.most) return `end of range (${last}) above maximum (${field.most}): ${text}`;
  if (start > last) return `beginning of range (${start}) beyond end of range (${last}): ${text}`;
  return by === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function endOf(to: string | undefined, start: number, step: string | undefined, field: Field): number | string {
  if (to !== undefined) return numberOf(to, field);
  return step === undefined ? start : field.most;
}

/** A number, or its error. */
function numberOf(text: string, { names = [], least }: Field): number | string {
  const word = names.indexOf(text.toLowerCase());
  if (word >= 0) return word + least;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

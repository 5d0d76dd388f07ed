const SECOND = 1_000_000_000n;

/** A duration in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** `3600s`, `0.5s` */
  toString(): string {
    const { nanos } = this;
    const text = (nanos < 0n ? -nanos : nanos).toString().padStart(10, '0');
    const fraction = text.slice(-9).replace(/0+$/, '');
    return `${nanos < 0n ? '-' : ''}${text.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}s`;
  }
}

/** A time in nanoseconds since 1970. It is printed with its original UTC offset. */
export class Timestamp {
  readonly nanos: bigint;
  readonly zoneMinutes: number;

  constructor(nanos: bigint, zoneMinutes = 0) {
    this.nanos = nanos;
    this.zoneMinutes = zoneMinutes;
  }

  get seconds(): bigint {
    const floor = this.nanos / SECOND;
    return this.nanos % SECOND < 0n ? floor - 1n : floor;
  }

  toString(): string {
    const fraction = (this.nanos - this.seconds * SECOND).toString().padStart(9, '0').replace(/0+$/, '');
    const there = Number(this.seconds) * 1000 + this.zoneMinutes * 60_000;
    const whole = new Date(there).toISOString().slice(0, -5);
    return `${whole}${fraction === '' ? '' : `.${fraction}`}${zoneText(this.zoneMinutes)}`;
  }
}

function zoneText(minutes: number): string {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z */
const FIRST = -62135596800n * SECOND;
const LAST = 253402300800n * SECOND - 1n;

export function isMoment(nanos: bigint): boolean {
  return nanos >= FIRST && nanos <= LAST;
}

export function isSpan(nanos: bigint): boolean {
  return BigInt.asIntN(64, nanos) === nanos;
}

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses RFC 3339; undefined if the text is invalid. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour, minute, second, fraction = '', zone = ''] = match;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day) || Number(hour) > 23) return undefined;
  const nanos = BigInt(date.getTime()) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const minutes = zoneMinutes(zone);
  const moment = nanos - BigInt(minutes) * 60n * SECOND;
  return isMoment(moment) ? new Timestamp(moment, minutes) : undefined;
}

function zoneMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Parses a date as its first moment. */
export function parseDate(text: string): Timestamp | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};
const MAX_DURATION_LENGTH = 200;
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** Parses `1h30m` or `-1.5s`; undefined if the text is invalid. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > MAX_DURATION_LENGTH) return undefined;
  const isNegative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return new Duration(0n);
  let nanos = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = match;
    const size = UNITS[unit];
    if (size === undefined || (whole === '' && fraction === '')) return undefined;
    nanos += BigInt(whole || '0') * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  if (body === '') return undefined;
  return isSpan(nanos) ? new Duration(isNegative ? -nanos : nanos) : undefined;
}

const WORD = /(\d{1,18})\s*([a-zA-Zµμ]+)/g;
const LONGER: ReadonlyArray<readonly [word: RegExp, unit: bigint]> = [
  [/^(?:ns|nano)/i, 1n],
  [/^(?:us|µs|μs|micro)/i, 1000n],
  [/^(?:ms|milli)/i, 1_000_000n],
  [/^(?:s|sec.*)$/i, SECOND],
  [/^(?:m|min.*)$/i, 60n * SECOND],
  [/^(?:h|hr.*|hour.*)$/i, 3600n * SECOND],
  [/^(?:d|day.*)$/i, 86_400n * SECOND],
  [/^(?:w|wk.*|week.*)$/i, 604_800n * SECOND],
];

/** Parses `3 days`, which the format `duration` also allows; undefined if the text is invalid. */
export function parseWords(text: string): Duration | undefined {
  let nanos: bigint | undefined;
  for (const [, count = '', word = ''] of text.slice(0, MAX_DURATION_LENGTH).matchAll(WORD)) {
    const unit = LONGER.find(([form]) => form.test(word))?.[1];
    if (unit !== undefined) nanos = (nanos ?? 0n) + BigInt(count) * unit;
  }
  return nanos === undefined || !isSpan(nanos) ? undefined : new Duration(nanos);
}

const ZONED = /^([+-]?)(\d\d?):(\d\d)$/;

/** The local time in a zone, as a date whose UTC fields have it; undefined if the zone is unknown. */
export function wallClock({ nanos, seconds }: Timestamp, zone: string): Date | undefined {
  const instant = new Date(Number(seconds) * 1000 + Number((nanos - seconds * SECOND) / 1_000_000n));
  if (zone === '' || zone === 'UTC') return instant;
  const offset = ZONED.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(instant.getTime() + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' });
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    const found = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name);
    if (found === null) return instant;
    const distance = (Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0)) * 1000;
    return new Date(instant.getTime() + (found[1] === '-' ? -distance : distance));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

import { parseLenientAddress, parseLenientNetwork } from '@tidegate/addresses';
import {
  label1035Problems,
  labelKeyProblems,
  labelProblems,
  labelValueProblems,
  subdomainProblems,
} from '../objects/names.ts';
import type { Place } from './place.ts';
import type { Check } from './type-rules.ts';

/** A check that also runs for an absent field. */
export function always(check: (place: Place) => void): Check {
  return Object.assign((place: Place) => check(place), { always: true });
}

/** Checks a text; an empty text is skipped. */
function textCheck(problems: (text: string) => readonly string[]): Check {
  return (place) => {
    if (place.text !== '') place.invalidFor(problems(place.text));
  };
}

/** Requires a value that is not empty; a detail explains more. */
export function required(detail = ''): Check {
  return always((place) => {
    if (place.isEmpty) place.required(detail);
  });
}

/** Requires a value; it may be zero. */
export const present = always((place) => {
  if (place.value === undefined) place.required();
});

/** Requires one of these texts; an empty text is skipped. */
export function oneOf(...texts: string[]): Check {
  return (place) => {
    if (place.text !== '' && !texts.includes(place.text)) place.unsupported(texts);
  };
}

/** Requires one of these texts; an empty text is an error. */
export function requiredOneOf(...texts: string[]): Check {
  return (place) => {
    if (!texts.includes(place.text)) place.unsupported(texts, place.text);
  };
}

/** Checks a present text; an empty text is an error, too. */
export function named(problems: (text: string) => readonly string[]): Check {
  return (place) => place.invalidFor(problems(place.text), place.text);
}

export const label = textCheck(labelProblems);
export const subdomain = textCheck(subdomainProblems);
export const label1035 = textCheck(label1035Problems);

/** Checks a text; an empty text is checked, too. */
export function includingEmpty(problems: (text: string) => readonly string[]): Check {
  return always((place) => place.invalidFor(problems(place.text), place.text));
}

export const strictSubdomain = includingEmpty(subdomainProblems);

export function atLeast(least: number): Check {
  const detail = least === 0 ? NOT_NEGATIVE : `must be greater than or equal to ${least}`;
  return (place) => {
    if (Number(place.value) < least) place.invalid(detail);
  };
}

const NOT_NEGATIVE = 'must be greater than or equal to 0';
export const notNegative = atLeast(0);

export function within(least: number, most: number, detail?: string): Check {
  return (place) => {
    const value = Number(place.value);
    if (value < least || value > most) place.invalid(detail ?? `must be between ${least} and ${most}, inclusive`);
  };
}

export const port = within(1, 65535);
export const userOrGroup = within(0, 2 ** 31 - 1);
export const fileMode = within(0, 0o777, 'must be a number between 0 and 0777 (octal), both inclusive');

/** The name of a port: `http`, `web-1`. */
export const portName = textCheck(portNameProblems);

export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export const portOrName: Check = always((place) => {
  if (typeof place.value === 'string') {
    place.invalidFor(portNameProblems(place.value));
    return;
  }
  const number = Number(place.value ?? 0);
  if (number < 1 || number > 65535) place.invalid('must be between 1 and 65535, inclusive', number);
});

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A number or a percentage. */
export const countOrPercent: Check = (place) => {
  const { value } = place;
  if (typeof value === 'string') {
    if (!/^[0-9]+%$/.test(value)) place.invalid(PERCENT);
  } else if (Number(value) < 0) place.invalid(NOT_NEGATIVE);
};

export const atMost100Percent: Check = (place) => {
  const { value } = place;
  if (typeof value === 'string' && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100) {
    place.invalid('must not be greater than 100%');
  }
};

const ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export const address: Check = always((place) => {
  if (parseLenientAddress(place.text) === undefined) place.invalid(ADDRESS, place.text);
});

export const NETWORK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export function isNetwork(text: string): boolean {
  return parseLenientNetwork(text) !== undefined;
}

export const network: Check = (place) => {
  if (!isNetwork(place.text)) place.invalid(NETWORK);
};

/** A relative path without `..`. */
export const relativePath: Check = (place) => {
  if (place.text.startsWith('/')) place.invalid('must be a relative path');
  noParentSegments(place);
};

/** A path within a volume; names that begin with two dots are reserved for the kubelet. */
export const pathInVolume: Check = (place) => {
  relativePath(place);
  if (/^\.\.[^/]/.test(place.text)) place.invalid("must not start with '..'");
};

export const noParentSegments: Check = (place) => {
  if (place.text.split('/').includes('..')) place.invalid("must not contain '..'");
};

/** Checks the keys and values of labels. */
export const labels: Check = (place) => {
  for (const [key, value] of Object.entries(place.object)) {
    place.invalidFor(labelKeyProblems(key), key);
    place.invalidFor(labelValueProblems(String(value ?? '')), value);
  }
};

/** Checks the keys of annotations: as those of labels, in any case. */
export const annotations: Check = (place) => {
  for (const key of Object.keys(place.object)) place.invalidFor(labelKeyProblems(key.toLowerCase()), key);
};

/** Requires different values of a field in all items. */
export function uniqueBy(field: string): Check {
  return (place) => {
    const seen = new Set<unknown>();
    for (const item of place.items()) {
      const value = item.object[field];
      if (value !== undefined && value !== '' && seen.has(value)) item.field(field).duplicate();
      seen.add(value);
    }
  };
}

export const IMMUTABLE = 'field is immutable';

/** Requires that an update does not change the field. */
export function unchanged(place: Place, old: Place): void {
  if (!sameValue(place.value, old.value)) place.invalid(IMMUTABLE);
}

/** Whether two values are equal. null and absent values are equal; an empty list or map differs from them. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => sameValue(left[name], right[name]));
}

/** A text that is the same for equal values, by the rule above. */
export function textOf(value: unknown): string {
  if (isNothing(value)) return 'null';
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    while (texts.at(-1) === 'null') texts.pop();
    return `[${texts.join(',')}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value as object).filter(([, item]) => !isNothing(item));
  const texts = entries.map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`);
  return `{${texts.sort().join(',')}}`;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The name of a driver: a DNS subdomain of at most 63 characters. */
export const driverName: Check = (place) => {
  if (place.text.length > 63) place.tooLong('may not be more than 63 bytes');
  place.invalidFor(subdomainProblems(place.text.toLowerCase()));
};

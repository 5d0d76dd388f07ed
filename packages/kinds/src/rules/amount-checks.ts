import { parseQuantity } from '@tidegate/schema';
import { labelKeyProblems } from '../objects/names.ts';
import type { Place } from './place.ts';
import type { Check } from './type-rules.ts';

/** An amount in billionths, for comparisons. */
export function amountOf(value: unknown): bigint {
  const text = String(value ?? '0');
  let nanos = known.get(text);
  if (nanos === undefined) {
    const quantity = parseQuantity(text);
    nanos = 'problem' in quantity ? 0n : quantity.nanos;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, nanos);
  }
  return nanos;
}

/** Most objects use the same few amounts. */
const known = new Map<string, bigint>();
const MAX_KNOWN = 1000;

const WHOLE = 1_000_000_000n;
const NOT_NEGATIVE = 'must be greater than or equal to 0';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage', 'storage']);
const CONTAINER = new Set(['cpu', 'memory', 'ephemeral-storage']);
const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const QUOTA = new Set([
  ...STANDARD,
  ...COUNTED,
  ...['cpu', 'memory', 'storage', 'ephemeral-storage'].map((name) => `requests.${name}`),
  ...['cpu', 'memory', 'ephemeral-storage'].map((name) => `limits.${name}`),
]);
const INTEGERS = new Set(COUNTED);
const KNOWN = new Set([...QUOTA, 'limits.storage']);

/** Whether a name is a standard resource of quotas. */
export const isCounted = (name: string): boolean => QUOTA.has(name) || name.startsWith('hugepages-');

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isExtended = (name: string): boolean =>
  name.includes('/') && !name.split('/')[0]?.endsWith('kubernetes.io') && !name.startsWith('requests.');

/** The problems of the name of a resource: it must be a known name, or have a domain. */
function nameProblems(name: string, scope: Scope | undefined): string[] {
  const problems = labelKeyProblems(name);
  if (name.includes('/')) {
    if (scope === 'containers' && !isNative(name) && (!isExtended(name) || problems.length > 0)) {
      problems.push("doesn't follow extended resource name standard");
    }
    return problems;
  }
  const qualified = problems.length === 0;
  const huge = isHugePages(name) || isHugePages(name.replace(/^requests\./, ''));
  if (qualified && !KNOWN.has(name) && !huge) problems.push('must be a standard resource type or fully qualified');
  const fits = scope === 'containers' ? CONTAINER : QUOTA;
  if (scope !== undefined && scope !== 'pods' && !fits.has(name) && !huge) {
    problems.push(`must be a standard resource for ${scope}`);
  }
  return problems;
}

/** The problems of the name of a resource of containers. */
export const containerAmountProblems = (name: string): string[] => nameProblems(name, 'containers');

type Scope = 'containers' | 'pods' | 'quota';

/** The resources that a pod can request. */
const POD_RESOURCES = ['cpu', 'hugepages-', 'memory'];

/** Checks the names and amounts of a map of resources. */
export function amounts(scope?: Scope): Check {
  return (place) => {
    for (const one of place.entries()) {
      const name = String(one.step);
      const problems = nameProblems(name, scope);
      one.invalidFor(problems, name);
      if (scope === 'pods' && problems.length === 0 && !POD_RESOURCES.some((known) => isPodResource(name, known))) {
        one.unsupported(POD_RESOURCES, name);
      }
      amount(one);
      if (scope !== 'quota') multipleOfPageSize(one);
    }
  };
}

function isPodResource(name: string, known: string): boolean {
  return known.endsWith('-') ? name.startsWith(known) : name === known;
}

/** Checks that an amount of huge pages is a multiple of the page size. */
function multipleOfPageSize(place: Place): void {
  const name = String(place.step);
  if (!isHugePages(name)) return;
  const size = amountOf(name.replace('hugepages-', ''));
  if (size > 0n && amountOf(place.value) % size !== 0n) {
    place.invalid(`${place.value} is not positive integer multiple of ${name}`);
  }
}

/** Checks only the names of a map of resources. */
export function amountNames(scope?: Scope): Check {
  return (place) => {
    for (const one of place.entries()) one.invalidFor(nameProblems(String(one.step), scope), one.step);
  };
}

function amount(place: Place): void {
  const name = String(place.step);
  const nanos = amountOf(place.value);
  if (nanos < 0n) place.invalid(NOT_NEGATIVE);
  if ((INTEGERS.has(name) || isExtended(name)) && nanos % WHOLE !== 0n) place.invalid('must be an integer');
}

export const notNegativeAmount: Check = (place) => {
  if (amountOf(place.value) < 0n) place.invalid(NOT_NEGATIVE);
};

export const positiveAmount: Check = (place) => {
  if (amountOf(place.value) <= 0n) place.invalid('must be greater than zero');
};

/** Checks that requests do not exceed limits, and are equal to them for resources that cannot be overcommitted. */
export const requestsWithinLimits: Check = (place) => {
  const limits = place.field('limits');
  const requests = place.field('requests');
  for (const [name, requested] of Object.entries(requests.object)) {
    const limit = limits.object[name];
    const shared = !isExtended(name) && !isHugePages(name);
    if (limit === undefined) {
      if (!shared) limits.required('Limit must be set for non overcommitable resources');
      continue;
    }
    if (requested === limit) continue;
    const [least, most] = [amountOf(requested), amountOf(limit)];
    if (least !== most && !shared) requests.invalid(`must be equal to ${name} limit of ${limit}`, requested);
    else if (least > most) requests.invalid(`must be less than or equal to ${name} limit of ${limit}`, requested);
  }
  const names = [...Object.keys(limits.object), ...Object.keys(requests.object)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    place.forbidden('HugePages require cpu or memory');
  }
};

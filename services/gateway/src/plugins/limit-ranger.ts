import { type Amounts, amountsIn, metaOf, podAmounts } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject, listOf, printQuantity, type Quantity } from '@tidegate/schema';
import { type Admitted, type Plugin, refused, specOf } from './plugin.ts';

const RANGES = 'limitranges';

/**
 * Sets defaults for containers from the LimitRanges of the namespace, and checks containers, pods and claims against
 * them.
 */
export const limitRanger: Plugin = {
  name: 'LimitRanger',
  handles: ['CREATE pods', 'UPDATE pods/resize', 'CREATE persistentvolumeclaims', 'UPDATE persistentvolumeclaims'],
  needs: [RANGES],
  mutate: async (admitted) => {
    if (admitted.request.kind.storedAs !== 'pods') return;
    for (const range of await rangesFor(admitted)) setDefaults(admitted, listOf(specOf(range), 'limits'));
  },
  validate: async (admitted) => {
    const isPod = admitted.request.kind.storedAs === 'pods';
    for (const range of await rangesFor(admitted)) {
      const limits = listOf(specOf(range), 'limits');
      const spec = specOf(admitted.object);
      const problems = new Set(
        limits.flatMap((limit) => (isPod ? podProblems(admitted, spec, limit) : claimProblems(spec, limit))),
      );
      if (problems.size > 0) throw refused(admitted, aggregate([...problems]));
    }
  },
};

/** The ranges of the namespace; none for an object that is being deleted. */
async function rangesFor({ lookups, request, old }: Admitted): Promise<readonly JsonObject[]> {
  if (old !== undefined && metaOf(old).deletionTimestamp !== undefined) return [];
  return lookups.known(RANGES, request.info.namespace);
}

function aggregate(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`;
}

const NOTE = 'kubernetes.io/limit-ranger';
const LISTS: ReadonlyArray<readonly [list: string, label: string]> = [
  ['containers', 'container'],
  ['initContainers', 'init container'],
];

/** Each container is checked against each amount of a range: the limit for these pairs per pod. */
const MAX_PAIRS = 100_000;

function refuseTooMany(admitted: Admitted, containers: number, amounts: number): void {
  if (containers * amounts <= MAX_PAIRS) return;
  const words = `its ${containers} containers and the ${amounts} amounts of a LimitRange make more than ${MAX_PAIRS} pairs`;
  throw refused(admitted, `spec.containers: ${words}`);
}

/** Sets missing requests and limits, and lists them in an annotation. */
function setDefaults(admitted: Admitted, limits: readonly JsonObject[]): void {
  const pod = admitted.object;
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const defaults = {
    requests: merged(ofContainers.map(({ defaultRequest }) => defaultRequest)),
    limits: merged(ofContainers.map((limit) => limit.default)),
  };
  const containers = LISTS.flatMap(([list]) => listOf(specOf(pod), list)).length;
  refuseTooMany(admitted, containers, Object.keys(defaults.requests).length + Object.keys(defaults.limits).length);
  const notes: string[] = [];
  for (const [list, label] of LISTS) {
    for (const container of listOf(specOf(pod), list)) {
      for (const [field, word] of [
        ['requests', 'request'],
        ['limits', 'limit'],
      ] as const) {
        const set = setAmounts(container, field, defaults[field]);
        if (set.length > 0) notes.push(`${set.sort().join(', ')} ${word} for ${label} ${String(container.name)}`);
      }
    }
  }
  if (notes.length === 0) return;
  const meta = metaOf(pod);
  meta.annotations = { ...meta.annotations, [NOTE]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

function merged(lists: ReadonlyArray<Json | undefined>): JsonObject {
  return Object.assign({}, ...lists.filter(isJsonObject));
}

/** Sets the missing amounts and returns their names. */
function setAmounts(container: JsonObject, field: string, defaults: JsonObject): string[] {
  const resources = isJsonObject(container.resources) ? container.resources : {};
  const present = isJsonObject(resources[field]) ? resources[field] : {};
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(present, name));
  if (missing.length === 0) return [];
  container.resources = { ...resources, [field]: { ...defaults, ...present } };
  return missing;
}

function podProblems(admitted: Admitted, spec: JsonObject, limit: JsonObject): string[] {
  if (limit.type === 'Pod') {
    const observed = { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') };
    return problemsOf(limit).with(observed);
  }
  if (limit.type !== 'Container') return [];
  const containers = LISTS.flatMap(([list]) => listOf(spec, list));
  const problems = problemsOf(limit);
  refuseTooMany(admitted, containers.length, problems.size);
  return containers.flatMap(({ resources }) => {
    const { requests, limits } = isJsonObject(resources) ? resources : {};
    return problems.with({ requests: amountsIn(requests), limits: amountsIn(limits) });
  });
}

function claimProblems({ resources }: JsonObject, limit: JsonObject): string[] {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  return problemsOf(limit).with({ requests: amountsIn(isJsonObject(resources) ? resources.requests : undefined) });
}

interface Observed {
  readonly requests: Amounts;
  /** undefined: the object has requests only (a claim) */
  readonly limits?: Amounts;
}

/** One bound for one resource, with the observed amounts. */
interface Bound {
  /** `cpu usage per Container is 100m` */
  readonly words: string;
  readonly bound: bigint;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

/** The checks of one item of a LimitRange. `with` returns the violations of the observed amounts. */
export function problemsOf(item: JsonObject): { readonly size: number; with(observed: Observed): string[] } {
  const [least, most, ratios] = ['min', 'max', 'maxLimitRequestRatio'].map((field) =>
    [...amountsIn(item[field])].sort(byName),
  ) as unknown as [Named[], Named[], Named[]];
  const type = String(item.type);
  return {
    size: least.length + most.length + ratios.length,
    with: (observed) => {
      const onlyRequests = observed.limits === undefined;
      return [
        ...boundsIn(least, type, observed).map(belowMin),
        ...boundsIn(most, type, observed).map(onlyRequests ? requestAboveMax : aboveMax),
        ...(onlyRequests ? [] : ratioProblems(ratios, type, observed)),
      ].filter((problem) => problem !== undefined);
    },
  };
}

type Named = readonly [name: string, amount: Quantity];

function boundsIn(named: readonly Named[], type: string, { requests, limits }: Observed): Bound[] {
  return named.map(([name, amount]) => ({
    words: `${name} usage per ${type} is ${printQuantity(amount)}`,
    bound: amount.nanos,
    request: requests.get(name),
    limit: limits?.get(name),
  }));
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

function belowMin({ words, bound, request, limit }: Bound): string | undefined {
  if (request === undefined) return `minimum ${words}.  No request is specified`;
  if (request.nanos < bound) return `minimum ${words}, but request is ${printQuantity(request)}`;
  if (limit !== undefined && limit.nanos < bound) return `minimum ${words}, but limit is ${printQuantity(limit)}`;
  return undefined;
}

function requestAboveMax({ words, bound, request }: Bound): string | undefined {
  if (request === undefined) return `maximum ${words}.  No request is specified`;
  return request.nanos > bound ? `maximum ${words}, but request is ${printQuantity(request)}` : undefined;
}

function aboveMax(from: Bound): string | undefined {
  const { words, bound, request, limit } = from;
  if (limit === undefined) return `maximum ${words}.  No limit is specified`;
  if (limit.nanos > bound) return `maximum ${words}, but limit is ${printQuantity(limit)}`;
  return request === undefined ? undefined : requestAboveMax(from);
}

const DECIMALS = 6;
const ONE = 1_000_000_000n;

function ratioProblems(named: readonly Named[], type: string, { requests, limits }: Observed): string[] {
  return named.flatMap(([name, most]) => {
    const words = `${name} max limit to request ratio per ${type} is ${printQuantity(most)}`;
    const [request, limit] = [requests.get(name)?.nanos ?? 0n, limits?.get(name)?.nanos ?? 0n];
    if (request === 0n) return [`${words}, but no request is specified or request is 0`];
    if (limit === 0n) return [`${words}, but no limit is specified or limit is 0`];
    if (limit * ONE <= most.nanos * request) return [];
    return [`${words}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(DECIMALS)}`];
  });
}

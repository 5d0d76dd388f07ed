import { type Amounts, amountsIn } from '@tidegate/kinds';
import { type JsonObject, printQuantity, type Quantity } from '@tidegate/schema';

interface Observed {
  readonly requests: Amounts;
  /** undefined: what is judged has requests only */
  readonly limits?: Amounts;
}

/** One bound of one resource, and what was observed of it. */
interface Bound {
  /** `cpu usage per Container is 100m` */
  readonly words: string;
  readonly bound: bigint;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

/** What an item of a range finds wrong, with each that it is asked about. */
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

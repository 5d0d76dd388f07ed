import { serviceClaims } from '@tidegate/kinds';
import { parseOwnJson } from '@tidegate/schema';
import { type Guard, guardKind, outcomeKind, type WriteOutcome } from '@tidegate/wire';
import { ServiceAddresses } from '../addresses/service-addresses.ts';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

/** Who gives an object what it alone may have; undefined where there is nothing of the kind. */
export function allotmentOf(gateway: Gateway, request: ResourceRequest): ServiceAddresses | undefined {
  if (request.kind.storedAs !== 'services' || request.info.subresource !== '') return undefined;
  return new ServiceAddresses(gateway.serviceRanges, () => allClaims(gateway, request));
}

async function allClaims(gateway: Gateway, request: ResourceRequest): Promise<string[]> {
  const collection = await gateway.collections.latest(request.kind);
  const claims: string[] = [];
  for (const run of collection.snapshot().runs('')) {
    for (const item of run.items.slice(run.from, run.to)) {
      claims.push(...serviceClaims(parseOwnJson(item.json)));
    }
  }
  return claims;
}

/** Each claim that the old state does not have must be nobody's. */
export function claimGuards(claims: readonly string[] | undefined, old: readonly string[] = []): Guard[] {
  const fresh = claims?.filter((claim) => !old.includes(claim)) ?? [];
  return fresh.map((name) => ({ kind: guardKind.unclaimed, key: { resource: '', namespace: '', name } }));
}

/** The claim that somebody else has, where a commit was refused for that. */
export function takenClaim(
  request: ResourceRequest,
  guards: readonly Guard[],
  outcome: WriteOutcome,
): string | undefined {
  if (outcome.kind !== outcomeKind.guardFailed) return undefined;
  // the fence of a controller comes before the others
  const guard = guards[outcome.guard - (request.fence === undefined ? 0 : 1)];
  return guard?.kind === guardKind.unclaimed ? guard.key.name : undefined;
}

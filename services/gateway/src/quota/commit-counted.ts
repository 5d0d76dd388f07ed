import { isInScope, type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { internalError } from '@tidegate/status';
import { type Guard, guardKind, type Key, outcomeKind, type Write, type WriteOutcome, writeKind } from '@tidegate/wire';
import { operationId } from '../clients/operation-id.ts';
import { storedForm } from '../codec/stored-form.ts';
import type { Gateway } from '../gateway.ts';
import { commit } from '../rules/commit.ts';
import { type Counted, charge } from './charge.ts';

const QUOTAS = 'resourcequotas';

/** Others write to the quotas of one namespace as fast as this process does; clients give up after a minute. */
const PATIENCE_MS = 10_000;

type Unsent = Omit<Write, 'operationId'>;

/**
 * Commits a write, and in the same commit what the quotas of its namespace have used with it.
 *
 * Each quota is written at the revision at which it was found to have room, and the object is written only if each of
 * them still has that revision: so no quota is ever exceeded, whoever else writes through whichever gateway. What stands
 * on a revision that is gone is done again. Requests of this process do not hinder each other: they take turns.
 */
export async function commitCounted(gateway: Gateway, counted: Counted, write: Unsent): Promise<WriteOutcome> {
  const { request } = counted;
  const names = write.kind === writeKind.delete ? [] : await quotasFor(gateway, counted);
  if (names.length === 0) return commit(gateway, request, write);
  return gateway.quotaTurns.pass(write.key.namespace, async () => {
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end) {
      const charged = charge(await readQuotas(gateway, write.key.namespace, names), counted);
      if (charged.length === 0) return commit(gateway, request, write);
      const outcome = await commit(gateway, request, joinedWith(gateway, counted, { write, charged }));
      if (!isStale(counted, write, outcome)) return outcome;
    }
    throw internalError('resource quota evaluation timed out');
  });
}

/** Refuses what a commit would refuse, for those who only ask. */
export async function refuseExceeding(gateway: Gateway, counted: Counted): Promise<void> {
  const { namespace } = counted.request.info;
  const names = await quotasFor(gateway, counted);
  if (names.length > 0) charge(await readQuotas(gateway, namespace, names), counted);
}

/** The names of the quotas that may count it, as the mirror knows them; what they have used is the store's to say. */
async function quotasFor(gateway: Gateway, counted: Counted): Promise<string[]> {
  const { request } = counted;
  if (!gateway.plugins.isOn('ResourceQuota') || !isCounted(counted)) return [];
  const quotas = gateway.mirrors.peek(QUOTAS) ?? (await gateway.collections.known(QUOTAS));
  if (quotas.size === 0) return [];
  const names: string[] = [];
  for (const { items, from, to } of quotas.snapshot().runs(request.info.namespace)) {
    for (const { name } of items.slice(from, to)) names.push(name);
  }
  return names;
}

const EVENTS = /^events(?:\.events\.k8s\.io)?$/;
const TERMINATING = { spec: { scopes: ['Terminating'] } };

/** Whatever is made in a namespace, and the changes by which what is there comes to use more. Events count for nothing. */
function isCounted({ request: { kind, info }, object, old }: Counted): boolean {
  const { storedAs } = kind;
  if (!kind.entry.namespaced || EVENTS.test(storedAs)) return false;
  if (old === undefined) return info.subresource === '';
  if (storedAs === 'services' || storedAs === 'persistentvolumeclaims') return info.subresource === '';
  if (storedAs !== 'pods') return false;
  if (info.subresource === 'resize') return true;
  return info.subresource === '' && [object, old].filter((pod) => isInScope('pods', TERMINATING, pod)).length === 1;
}

async function readQuotas(gateway: Gateway, namespace: string, names: readonly string[]): Promise<JsonObject[]> {
  const found = await Promise.all(names.map((name) => gateway.objects.stored({ resource: QUOTAS, namespace, name })));
  return found.filter((quota) => quota !== undefined);
}

function joinedWith(
  gateway: Gateway,
  { request }: Counted,
  { write, charged }: { write: Unsent; charged: readonly JsonObject[] },
): Unsent {
  const kind = gateway.registry.find('', 'v1', QUOTAS) as Kind;
  const places = charged.map((quota) => ({ quota, key: keyOfQuota(quota), revision: revisionOf(quota) }));
  const guards = [...(write.guards ?? []), ...places.map(({ key, revision }) => at(key, revision))];
  const own = at(write.key, write.kind === writeKind.create ? 0 : (write.expectedRevision ?? 0));
  // whatever keeps the write from being committed keeps these from it, too
  const conditions = [...(request.fence === undefined ? [] : [request.fence]), own, ...guards];
  const joined = places.map(({ quota, key, revision }) => ({
    kind: writeKind.update,
    key,
    ...storedForm(kind, quota),
    uid: metaOf(quota).uid ?? '',
    deleting: metaOf(quota).deletionTimestamp !== undefined,
    expectedRevision: revision,
    guards: conditions,
    operationId: operationId(),
  }));
  return { ...write, guards, joined };
}

function isStale({ request }: Counted, { guards = [] }: Unsent, outcome: WriteOutcome): boolean {
  if (outcome.kind !== outcomeKind.guardFailed) return false;
  return outcome.guard - (request.fence === undefined ? 0 : 1) >= guards.length;
}

function at(key: Key, fence: number): Guard {
  return { kind: guardKind.atRevision, key, fence };
}

function keyOfQuota(quota: JsonObject): Key {
  const { namespace = '', name = '' } = metaOf(quota);
  return { resource: QUOTAS, namespace, name };
}

function revisionOf(quota: JsonObject): number {
  return Number(metaOf(quota).resourceVersion);
}

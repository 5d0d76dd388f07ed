import { DEFINITIONS, type Kind } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import {
  ApiError,
  alreadyExists,
  conflict,
  internalError,
  methodNotAllowed,
  namespaceTerminating,
  notFound,
  serviceUnavailable,
  timeout,
} from '@tidegate/status';
import { type Guard, guardKind, type Key, outcomeKind, type Write, type WriteOutcome } from '@tidegate/wire';
import { operationId } from '../clients/operation-id.ts';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

/** How long a request goes on against others that write the same object. Clients give up after a minute. */
export const CONTENTION_MS = 30_000;

/** A creation needs its namespace to be there, and to stay, until it is committed. */
export function namespaceGuard(kind: Kind, namespace: string): Guard[] {
  if (!kind.entry.namespaced) return [];
  return [{ kind: guardKind.live, key: { resource: 'namespaces', namespace: '', name: namespace } }];
}

/** So does a creation of a custom kind need its definition. */
export function definitionGuard({ entry }: Kind): Guard[] {
  if (entry.custom === undefined) return [];
  return [{ kind: guardKind.live, key: { resource: DEFINITIONS, namespace: '', name: entry.custom.definition } }];
}

/** Sends one write to the store, with what makes it exact: an operation id, and the trace it belongs to. */
export async function commit(
  gateway: Gateway,
  request: ResourceRequest,
  write: Omit<Write, 'operationId'>,
): Promise<WriteOutcome> {
  const { span, fence } = request;
  const { lifetimeSeconds } = request.kind.entry;
  const outcome = await gateway.store.write({
    ...write,
    ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
    ...(fence === undefined ? {} : { guards: [fence, ...(write.guards ?? [])] }),
    operationId: operationId(),
    ...(span === undefined ? {} : { traceparent: span.traceparent }),
  });
  if (outcome.kind === outcomeKind.committed) {
    await gateway.live.through(request.kind.storedAs, toRevision(outcome.revision));
  }
  return outcome;
}

/** What a client hears of a write that was not committed. */
export function refusal(request: ResourceRequest, key: Key, outcome: WriteOutcome): ApiError {
  const { entry } = request.kind;
  switch (outcome.kind) {
    case outcomeKind.notFound:
      return notFound(entry, key.name);
    case outcomeKind.alreadyExists:
      return alreadyExists(entry, key.name, outcome.deleting);
    case outcomeKind.conflict:
      return conflict(entry, key.name);
    case outcomeKind.uidMismatch:
      return conflict(entry, key.name, `Precondition failed: UID in object meta: ${outcome.currentUid}`);
    case outcomeKind.guardFailed:
      if (request.fence !== undefined && outcome.guard === 0) {
        return conflict(entry, key.name, `the lease ${request.fence.key.name} is held by somebody else by now`);
      }
      if (entry.custom !== undefined && isDefinitionGuard(request, outcome.guard)) {
        return methodNotAllowed('create not allowed while custom resource definition is terminating');
      }
      if (!entry.namespaced) return conflict(entry, key.name, 'there are still objects in it');
      return outcome.deleting
        ? namespaceTerminating(entry, key.name, key.namespace)
        : notFound({ group: '', resource: 'namespaces' }, key.namespace);
    case outcomeKind.unknown:
      return timeout('the storage can no longer say whether the write was done');
    case outcomeKind.unavailable:
      return serviceUnavailable(outcome.message || 'the store cannot be reached, please try again');
    case outcomeKind.refused:
      return internalError(outcome.message);
    default:
      return ApiError.from(new Error(`unexpected outcome ${outcome.kind}`));
  }
}

/** Behind that of the system controller's lease, and that of the namespace. */
function isDefinitionGuard({ kind, fence }: ResourceRequest, guard: number): boolean {
  return guard === (fence === undefined ? 0 : 1) + (kind.entry.namespaced ? 1 : 0);
}

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
import { operationId, type StoreSession } from '../clients/store-session.ts';
import type { LiveViews } from '../live/live-views.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

interface CommitsPorts {
  readonly store: Pick<StoreSession, 'write'>;
  readonly live: Pick<LiveViews, 'through'>;
}

/** A write without the operation id, by which a repeated write is recognized. */
export type UnsentWrite = Omit<Write, 'operationId'>;

/** Sends writes to the store. */
export class Commits {
  readonly #ports: CommitsPorts;

  constructor(ports: CommitsPorts) {
    this.#ports = ports;
  }

  /**
   * Commits one write, with an operation id, its trace and its lease. When it returns, the effects of the write in this
   * gateway are visible: a new definition is served, a new role is used.
   */
  async commit({ kind, span, fence }: ResourceRequest, write: UnsentWrite): Promise<WriteOutcome> {
    const { lifetimeSeconds } = kind.entry;
    const outcome = await this.#ports.store.write({
      ...write,
      ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
      ...(fence === undefined ? {} : { guards: [fence, ...(write.guards ?? [])] }),
      operationId: operationId(),
      ...(span === undefined ? {} : { traceparent: span.traceparent }),
    });
    if (outcome.kind === outcomeKind.committed) {
      await this.#ports.live.through(kind.storedAs, toRevision(outcome.revision));
    }
    return outcome;
  }
}

/** A new object needs its namespace, which must not be terminating. */
export function namespaceGuard(kind: Kind, namespace: string): Guard[] {
  if (!kind.entry.namespaced) return [];
  return [{ kind: guardKind.live, key: { resource: 'namespaces', namespace: '', name: namespace } }];
}

/** A new custom object needs its definition. */
export function definitionGuard({ entry }: Kind): Guard[] {
  if (entry.custom === undefined) return [];
  return [{ kind: guardKind.live, key: { resource: DEFINITIONS, namespace: '', name: entry.custom.definition } }];
}

/** A namespace must be empty. */
export function emptinessGuard({ storedAs: resource }: Kind, name: string): Guard[] {
  return resource === 'namespaces' ? [{ kind: guardKind.namespaceEmpty, key: { resource, namespace: '', name } }] : [];
}

/**
 * A namespace is removed only when it is empty. A user who removes its finalizers wants it removed immediately; the
 * lifecycle controller then deletes the rest.
 */
export function removalGuards({ kind, info, fence }: ResourceRequest): Guard[] {
  if (info.subresource === 'finalize' && fence === undefined) return [];
  return emptinessGuard(kind, info.name);
}

/** The index of the failed guard among the write's own guards, which follow the guard of the lease. */
export function guardOf({ fence }: ResourceRequest, { guard }: WriteOutcome): number {
  return guard - (fence === undefined ? 0 : 1);
}

/** The error of a write that was not committed. */
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
      return guardFailure(request, key, outcome);
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

function guardFailure(request: ResourceRequest, key: Key, outcome: WriteOutcome): ApiError {
  const { kind, fence } = request;
  const { entry } = kind;
  if (fence !== undefined && outcome.guard === 0) {
    return conflict(entry, key.name, `the lease ${fence.key.name} is held by another process by now`);
  }
  // the guard of the definition follows that of the namespace
  if (entry.custom !== undefined && guardOf(request, outcome) === (entry.namespaced ? 1 : 0)) {
    return methodNotAllowed('create not allowed while custom resource definition is terminating');
  }
  if (!entry.namespaced) return conflict(entry, key.name, 'the namespace still contains objects');
  return outcome.deleting
    ? namespaceTerminating(entry, key.name, key.namespace)
    : notFound({ group: '', resource: 'namespaces' }, key.namespace);
}

import { isInScope, type Kind, metaOf, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { internalError } from '@tidegate/status';
import { type Guard, guardKind, type Key, outcomeKind, type Write, type WriteOutcome, writeKind } from '@tidegate/wire';
import { operationId } from '../clients/store-session.ts';
import { storedForm } from '../codec/stored-form.ts';
import { type Collections, itemsOf } from '../objects/collections.ts';
import type { Objects } from '../objects/objects.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type Counted, charge } from './charge.ts';
import { NamespaceQueues } from './namespace-queues.ts';

const QUOTAS = 'resourcequotas';

/** Other processes may write the quotas of a namespace as fast as this one; clients give up after a minute. */
const TIMEOUT_MS = 10_000;

type Unsent = Omit<Write, 'operationId'>;

interface CountedCommitsPorts {
  readonly commits: { commit(request: ResourceRequest, write: Unsent): Promise<WriteOutcome> };
  readonly objects: Pick<Objects, 'stored'>;
  readonly collections: Pick<Collections, 'known'>;
  readonly registry: Pick<Registry, 'find'>;
  /** the admission plugin ResourceQuota is enabled */
  readonly isOn: boolean;
}

/**
 * Commits writes together with the new usage of the quotas of their namespace.
 *
 * Invariant: no quota is ever exceeded, even with several gateways. Each quota is written at the revision at which it
 * was found to have room, and the object is written only if all of them still have that revision. If one has changed,
 * the usage is computed again. Writes of this process to one namespace are queued, so that they do not conflict with
 * each other.
 */
export class CountedCommits {
  readonly #ports: CountedCommitsPorts;
  readonly #queues = new NamespaceQueues();

  constructor(ports: CountedCommitsPorts) {
    this.#ports = ports;
  }

  async commit(counted: Counted, write: Unsent): Promise<WriteOutcome> {
    const { request } = counted;
    const { commits } = this.#ports;
    const names = write.kind === writeKind.delete ? [] : await this.#quotasFor(counted);
    if (names.length === 0) return commits.commit(request, write);
    return this.#queues.run(write.key.namespace, async () => {
      const end = performance.now() + TIMEOUT_MS;
      while (performance.now() < end) {
        const charged = charge(await this.#read(write.key.namespace, names), counted);
        if (charged.length === 0) return commits.commit(request, write);
        const outcome = await commits.commit(request, this.#joined(counted, write, charged));
        if (!isStale(counted, write, outcome)) return outcome;
      }
      throw internalError('resource quota evaluation timed out');
    });
  }

  /** Throws for a dry run if the commit would exceed a quota. */
  async checkQuotas(counted: Counted): Promise<void> {
    const names = await this.#quotasFor(counted);
    if (names.length > 0) charge(await this.#read(counted.request.info.namespace, names), counted);
  }

  /** The names of the quotas that may count the object, from the mirror; their usage is read from the store. */
  async #quotasFor(counted: Counted): Promise<string[]> {
    if (!this.#ports.isOn || !isCounted(counted)) return [];
    const quotas = await this.#ports.collections.known(QUOTAS);
    if (quotas.size === 0) return [];
    return itemsOf(quotas.snapshot().runs(counted.request.info.namespace)).map(({ name }) => name);
  }

  async #read(namespace: string, names: readonly string[]): Promise<JsonObject[]> {
    const { objects } = this.#ports;
    const found = await Promise.all(names.map((name) => objects.stored({ resource: QUOTAS, namespace, name })));
    return found.filter((quota) => quota !== undefined);
  }

  #joined({ request }: Counted, write: Unsent, charged: readonly JsonObject[]): Unsent {
    const kind = this.#ports.registry.find('', 'v1', QUOTAS) as Kind;
    const positions = charged.map((quota) => ({ quota, key: keyOfQuota(quota), revision: revisionOf(quota) }));
    const guards = [...(write.guards ?? []), ...positions.map(({ key, revision }) => at(key, revision))];
    const own = at(write.key, write.kind === writeKind.create ? 0 : (write.expectedRevision ?? 0));
    // the quotas are committed only if the write itself can be
    const conditions = [...(request.fence === undefined ? [] : [request.fence]), own, ...guards];
    const joined = positions.map(({ quota, key, revision }) => ({
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
}

const EVENTS = /^events(?:\.events\.k8s\.io)?$/;
const TERMINATING = { spec: { scopes: ['Terminating'] } };

/** Whether a write can add usage: creations in a namespace, except events, and some updates. */
function isCounted({ request: { kind, info }, object, old }: Counted): boolean {
  const { storedAs } = kind;
  if (!kind.entry.namespaced || EVENTS.test(storedAs)) return false;
  if (old === undefined) return info.subresource === '';
  if (storedAs === 'services' || storedAs === 'persistentvolumeclaims') return info.subresource === '';
  if (storedAs !== 'pods') return false;
  if (info.subresource === 'resize') return true;
  return info.subresource === '' && [object, old].filter((pod) => isInScope('pods', TERMINATING, pod)).length === 1;
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

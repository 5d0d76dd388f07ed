import type { Client, ServerDuplexStream } from '@grpc/grpc-js';
import { grpcClient, openGrpcServer, peerCredentials } from '@tidegate/service-kit';
import type { TestCertificates } from '@tidegate/testkit';
import {
  type Key,
  outcomeKind,
  type SessionRequest,
  type SessionResponse,
  type StoredObject,
  store,
  type WriteOutcome,
  writeKind,
} from '@tidegate/wire';
import { openUpstream } from './upstream.ts';

export type StoreFault =
  | 'none'
  | 'acknowledges a write that it drops'
  | 'answers a read with an older state'
  | 'assigns one version to two writes'
  | 'swaps the versions of two writes'
  | 'reports a committed write as failed'
  | 'reports an old revision';

/** A fault is injected at every fourth opportunity. */
const INJECT_EVERY = 4;

/** A request that the store has not answered yet. */
interface PendingRequest {
  readonly request: SessionRequest;
  /** a write that was not forwarded to the store, and the position of its outcome */
  readonly dropped?: { readonly index: number; readonly outcome: WriteOutcome };
}

/**
 * A proxy for the Session rpc between gateways and a real store, which injects a fault. It changes only ConfigMaps, so
 * that the system's own objects stay correct.
 */
export class FaultyStore {
  fault: StoreFault = 'none';
  /** the number of injected faults since the last setFault() */
  injected = 0;
  #opportunities = 0;
  #lastCommitted = 0;
  readonly #states = new Map<string, StoredObject>();
  readonly #heads: number[] = [];
  #closing: Array<() => unknown> = [];

  setFault(fault: StoreFault): void {
    this.fault = fault;
    this.injected = 0;
    this.#states.clear();
  }

  async start(addresses: readonly string[], certificates: TestCertificates): Promise<string> {
    const credentials = peerCredentials(certificates.peerFiles('store'));
    const gateway = peerCredentials(certificates.peerFiles('gateway'));
    const client = grpcClient(addresses[0] as string, gateway.client('store'));
    const session = (call: ServerDuplexStream<SessionRequest, SessionResponse>) => this.#session(call, client);
    const services = [[store, { session }]] as const;
    const server = await openGrpcServer({ address: '127.0.0.1:0', credentials: credentials.server, services });
    this.#closing = [() => client.close(), () => server.close(0)];
    return `127.0.0.1:${server.port}`;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }

  #session(call: ServerDuplexStream<SessionRequest, SessionResponse>, client: Client): void {
    const upstream = openUpstream<SessionRequest, SessionResponse>(client, store.session, call);
    const open = new Map<number, PendingRequest>();
    call.on('data', (request: SessionRequest) => {
      const pending = this.#request(request);
      open.set(request.id, pending);
      upstream.write(pending.request);
    });
    upstream.on('data', (response: SessionResponse) => {
      const pending = open.get(response.id);
      open.delete(response.id);
      call.write(pending === undefined || response.error.length > 0 ? response : this.#answer(response, pending));
    });
  }

  #shouldInject(): boolean {
    if (this.#opportunities++ % INJECT_EVERY !== INJECT_EVERY - 1) return false;
    this.injected++;
    return true;
  }

  #request(request: SessionRequest): PendingRequest {
    if (this.fault !== 'acknowledges a write that it drops') return { request };
    const writes = request.writes ?? [];
    const index = writes.findIndex((write) => isConfigMap(write.key) && write.kind === writeKind.update);
    if (index < 0 || writes.length < 2 || !this.#shouldInject()) return { request };
    const revision = this.#lastCommitted + 1;
    const outcome = { ...UNAVAILABLE, kind: outcomeKind.committed, revision, message: '' };
    return { request: { ...request, writes: writes.toSpliced(index, 1) }, dropped: { index, outcome } };
  }

  #answer(response: SessionResponse, pending: PendingRequest): SessionResponse {
    const { reads, head } = pending.request;
    return {
      ...response,
      reads: response.reads.map((read, i) =>
        read.object === null || !isConfigMap(reads?.[i] as Key) ? read : { ...read, object: this.#read(read.object) },
      ),
      writes: this.#written(response, pending),
      revision: head ? this.#head(response.revision) : response.revision,
    };
  }

  #read(object: StoredObject): StoredObject {
    const name = `${object.key.namespace}/${object.key.name}`;
    const older = this.#states.get(name);
    this.#states.set(name, object);
    const isStale = this.fault === 'answers a read with an older state' && (older?.revision ?? 0) < object.revision;
    return isStale && older !== undefined && this.#shouldInject() ? older : object;
  }

  #written(response: SessionResponse, { request, dropped }: PendingRequest): WriteOutcome[] {
    const configMaps = response.writes.flatMap((outcome, i) =>
      outcome.kind === outcomeKind.committed && isConfigMap(request.writes?.[i]?.key as Key) ? [i] : [],
    );
    const writes = this.#falsified([...response.writes], configMaps);
    const last = response.writes.findLast(({ kind }) => kind === outcomeKind.committed);
    if (last !== undefined) this.#lastCommitted = last.revision;
    return dropped === undefined ? writes : writes.toSpliced(dropped.index, 0, dropped.outcome);
  }

  #falsified(writes: WriteOutcome[], configMaps: readonly number[]): WriteOutcome[] {
    const [a, b] = configMaps as [number, number | undefined];
    const [first, second] = [writes[a], writes[b ?? -1]];
    if (first === undefined) return writes;
    if (this.fault === 'assigns one version to two writes' && this.#lastCommitted > 0 && this.#shouldInject()) {
      writes[a] = { ...first, revision: this.#lastCommitted };
    }
    if (this.fault === 'reports a committed write as failed' && this.#shouldInject()) writes[a] = UNAVAILABLE;
    if (this.fault === 'swaps the versions of two writes' && second !== undefined && this.#shouldInject()) {
      writes[a] = { ...first, revision: second.revision };
      writes[b as number] = { ...second, revision: first.revision };
    }
    return writes;
  }

  #head(revision: number): number {
    this.#heads.push(revision);
    if (this.#heads.length > 20) this.#heads.shift();
    if (this.fault !== 'reports an old revision') return revision;
    this.injected++;
    return this.#heads[0] as number;
  }
}

const UNAVAILABLE: WriteOutcome = {
  kind: outcomeKind.unavailable,
  revision: 0,
  currentUid: '',
  guard: 0,
  deleting: false,
  message: 'the store is busy',
};

function isConfigMap(key: Key): boolean {
  return key.resource === 'configmaps';
}

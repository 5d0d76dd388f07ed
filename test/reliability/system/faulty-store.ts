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
  | 'gives a version to two writes'
  | 'swaps the versions of two writes'
  | 'says of a write that was made that nothing happened'
  | 'tells an old revision';

/** Every so many times that a fault could be put in, it is. */
const EVERY = 4;

/** A message on its way to the store. */
interface Asked {
  readonly request: SessionRequest;
  /** a write that was kept from the store, and where its answer belongs */
  readonly dropped?: { readonly index: number; readonly outcome: WriteOutcome };
}

/**
 * Stands between gateways and a real store, speaks its Session, and lies as it is told. Only about ConfigMaps, so that
 * what the system keeps for itself stays whole.
 */
export class FaultyStore {
  fault: StoreFault = 'none';
  /** how many lies were told since the last reset */
  lies = 0;
  #occasions = 0;
  #lastCommitted = 0;
  readonly #states = new Map<string, StoredObject>();
  readonly #heads: number[] = [];
  #closing: Array<() => unknown> = [];

  begin(fault: StoreFault): void {
    this.fault = fault;
    this.lies = 0;
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
    const open = new Map<number, Asked>();
    call.on('data', (request: SessionRequest) => {
      const asked = this.#ask(request);
      open.set(request.id, asked);
      upstream.write(asked.request);
    });
    upstream.on('data', (response: SessionResponse) => {
      const asked = open.get(response.id);
      open.delete(response.id);
      call.write(asked === undefined || response.error.length > 0 ? response : this.#answer(response, asked));
    });
  }

  #lie(): boolean {
    if (this.#occasions++ % EVERY !== EVERY - 1) return false;
    this.lies++;
    return true;
  }

  #ask(request: SessionRequest): Asked {
    if (this.fault !== 'acknowledges a write that it drops') return { request };
    const writes = request.writes ?? [];
    const index = writes.findIndex((write) => isOurs(write.key) && write.kind === writeKind.update);
    if (index < 0 || writes.length < 2 || !this.#lie()) return { request };
    const revision = this.#lastCommitted + 1;
    const outcome = { ...NOTHING_HAPPENED, kind: outcomeKind.committed, revision, message: '' };
    return { request: { ...request, writes: writes.toSpliced(index, 1) }, dropped: { index, outcome } };
  }

  #answer(response: SessionResponse, asked: Asked): SessionResponse {
    const { reads, head } = asked.request;
    return {
      ...response,
      reads: response.reads.map((read, i) =>
        read.object === null || !isOurs(reads?.[i] as Key) ? read : { ...read, object: this.#read(read.object) },
      ),
      writes: this.#written(response, asked),
      revision: head ? this.#head(response.revision) : response.revision,
    };
  }

  #read(object: StoredObject): StoredObject {
    const name = `${object.key.namespace}/${object.key.name}`;
    const older = this.#states.get(name);
    this.#states.set(name, object);
    const wanted = this.fault === 'answers a read with an older state' && (older?.revision ?? 0) < object.revision;
    return wanted && older !== undefined && this.#lie() ? older : object;
  }

  #written(response: SessionResponse, { request, dropped }: Asked): WriteOutcome[] {
    const ours = response.writes.flatMap((outcome, i) =>
      outcome.kind === outcomeKind.committed && isOurs(request.writes?.[i]?.key as Key) ? [i] : [],
    );
    const writes = this.#falsified([...response.writes], ours);
    const last = response.writes.findLast(({ kind }) => kind === outcomeKind.committed);
    if (last !== undefined) this.#lastCommitted = last.revision;
    return dropped === undefined ? writes : writes.toSpliced(dropped.index, 0, dropped.outcome);
  }

  #falsified(writes: WriteOutcome[], ours: readonly number[]): WriteOutcome[] {
    const [a, b] = ours as [number, number | undefined];
    const [first, second] = [writes[a], writes[b ?? -1]];
    if (first === undefined) return writes;
    if (this.fault === 'gives a version to two writes' && this.#lastCommitted > 0 && this.#lie()) {
      writes[a] = { ...first, revision: this.#lastCommitted };
    }
    if (this.fault === 'says of a write that was made that nothing happened' && this.#lie())
      writes[a] = NOTHING_HAPPENED;
    if (this.fault === 'swaps the versions of two writes' && second !== undefined && this.#lie()) {
      writes[a] = { ...first, revision: second.revision };
      writes[b as number] = { ...second, revision: first.revision };
    }
    return writes;
  }

  #head(revision: number): number {
    this.#heads.push(revision);
    if (this.#heads.length > 20) this.#heads.shift();
    if (this.fault !== 'tells an old revision') return revision;
    this.lies++;
    return this.#heads[0] as number;
  }
}

const NOTHING_HAPPENED: WriteOutcome = {
  kind: outcomeKind.unavailable,
  revision: 0,
  currentUid: '',
  guard: 0,
  deleting: false,
  message: 'the store is busy',
};

function isOurs(key: Key): boolean {
  return key.resource === 'configmaps';
}

import type { Client, ServerDuplexStream } from '@grpc/grpc-js';
import { grpcClient, openGrpcServer, peerCredentials } from '@tidegate/service-kit';
import type { TestCertificates } from '@tidegate/testkit';
import { type Change, type FollowRequest, type FollowResponse, watch, writeKind } from '@tidegate/wire';
import { openUpstream } from './upstream.ts';

export type WatchFault =
  | 'none'
  | 'drops a change'
  | 'swaps two changes'
  | 'doubles a change'
  | 'repeats a change under the next version'
  | 'tells a change as that of another version'
  | 'selects by old labels'
  | 'says that it is complete before it is'
  | 'brings everything late'
  | 'brings one gateway everything late';

const EVERY = 4;
const LATE_MS = 150;

type FollowCall = ServerDuplexStream<FollowRequest, FollowResponse>;

/** Stands between gateways and a real watch service, and spoils the follow stream as it is told: only ConfigMaps. */
export class FaultyWatch {
  fault: WatchFault = 'none';
  /** how many changes were spoilt since the last reset */
  lies = 0;
  #occasions = 0;
  readonly #swapped = new Set<number>();
  readonly #selections = new Map<string, Uint8Array>();
  readonly #calls = new Set<FollowCall>();
  #closing: Array<() => unknown> = [];

  /** Gateways have to open their streams anew: nothing of an earlier fault is left in their mirrors. */
  begin(fault: WatchFault): void {
    this.fault = fault;
    this.lies = 0;
    this.#selections.clear();
    for (const call of this.#calls) call.end();
    this.#calls.clear();
  }

  async start(addresses: readonly string[], certificates: TestCertificates): Promise<string> {
    const credentials = peerCredentials(certificates.peerFiles('watch'));
    const gateway = peerCredentials(certificates.peerFiles('gateway'));
    const client = grpcClient(addresses[0] as string, gateway.client('watch'));
    const follow = (call: FollowCall) => this.#follow(call, client);
    const services = [[watch, { follow }]] as const;
    const server = await openGrpcServer({ address: '127.0.0.1:0', credentials: credentials.server, services });
    this.#closing = [() => client.close(), () => server.close(0)];
    return `127.0.0.1:${server.port}`;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }

  #follow(call: FollowCall, client: Client): void {
    this.#calls.add(call);
    const upstream = openUpstream<FollowRequest, FollowResponse>(client, watch.follow, call);
    call.on('data', (request: FollowRequest) => upstream.write(request));
    const send = (response: FollowResponse) => {
      if (this.#calls.has(call)) call.write(response);
      else upstream.cancel();
    };
    const late = () =>
      this.fault === 'brings everything late' ||
      (this.fault === 'brings one gateway everything late' && [...this.#calls].indexOf(call) === 0);
    upstream.on('data', (response: FollowResponse) => {
      if (response.opening || !late()) return this.#pass(response, send);
      this.lies++;
      setTimeout(send, LATE_MS, response);
    });
  }

  #pass(response: FollowResponse, send: (response: FollowResponse) => void): void {
    const { changes = [], opening } = response;
    if (opening) {
      send(response);
      return;
    }
    if (this.fault === 'says that it is complete before it is' && changes.some(isOurs) && this.#lie()) {
      send({ ...response, changes: [] });
      return;
    }
    send({ ...response, changes: changes.flatMap((change, i) => this.#spoil(change, i, changes)) });
  }

  #lie(): boolean {
    if (this.#occasions++ % EVERY !== EVERY - 1) return false;
    this.lies++;
    return true;
  }

  #spoil(change: Change, i: number, all: readonly Change[]): Change[] {
    if (!isOurs(change)) return [change];
    switch (this.fault) {
      case 'drops a change':
        return this.#lie() ? [] : [change];
      case 'doubles a change':
        return this.#lie() ? [change, change] : [change];
      case 'repeats a change under the next version':
        return this.#lie() ? [change, { ...change, revision: change.revision + 1 }] : [change];
      case 'tells a change as that of another version':
        return this.#lie() ? [{ ...change, revision: change.revision + 1 }] : [change];
      case 'swaps two changes': {
        // the first of a pair takes the second one along
        const next = all[i + 1];
        if (i % 2 === 1) return this.#swapped.delete(change.revision) ? [] : [change];
        if (next === undefined || !isOurs(next) || !this.#lie()) return [change];
        this.#swapped.add(next.revision);
        return [next, change];
      }
      case 'selects by old labels':
        return [this.#selectedByOldLabels(change)];
      default:
        return [change];
    }
  }

  #selectedByOldLabels(change: Change): Change {
    const name = `${change.key.namespace}/${change.key.name}`;
    const old = this.#selections.get(name);
    this.#selections.set(name, change.selection);
    if (old === undefined || change.kind !== writeKind.update || !this.#lie()) return change;
    return { ...change, selection: old };
  }
}

function isOurs({ key }: Change): boolean {
  return key.resource === 'configmaps';
}

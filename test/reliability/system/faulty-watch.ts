import type { Client, ServerDuplexStream } from '@grpc/grpc-js';
import { grpcClient, openGrpcServer, peerCredentials } from '@tidegate/service-kit';
import type { TestCertificates } from '@tidegate/testkit';
import { type Change, type FollowRequest, type FollowResponse, watch, writeKind } from '@tidegate/wire';
import { openUpstream } from './upstream.ts';

export type WatchFault =
  | 'none'
  | 'drops a change'
  | 'swaps two changes'
  | 'duplicates a change'
  | 'repeats a change under the next version'
  | 'sends a change with another version'
  | 'selects by outdated labels'
  | 'reports progress before it sends the changes'
  | 'delays every change'
  | 'delays every change for one gateway';

/** A fault is injected at every fourth opportunity. */
const INJECT_EVERY = 4;
const DELAY_MS = 150;

type FollowCall = ServerDuplexStream<FollowRequest, FollowResponse>;

/** A proxy between gateways and a real watch service, which injects a fault into the follow stream. Changes only ConfigMaps. */
export class FaultyWatch {
  fault: WatchFault = 'none';
  /** the number of injected faults since the last setFault() */
  injected = 0;
  #opportunities = 0;
  readonly #swapped = new Set<number>();
  readonly #selections = new Map<string, Uint8Array>();
  readonly #calls = new Set<FollowCall>();
  #closing: Array<() => unknown> = [];

  /** Ends all streams, so that gateways load their mirrors again, without traces of an earlier fault. */
  setFault(fault: WatchFault): void {
    this.fault = fault;
    this.injected = 0;
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
    const isDelayed = () =>
      this.fault === 'delays every change' ||
      (this.fault === 'delays every change for one gateway' && [...this.#calls].indexOf(call) === 0);
    upstream.on('data', (response: FollowResponse) => {
      if (response.opening || !isDelayed()) return this.#forward(response, send);
      this.injected++;
      setTimeout(send, DELAY_MS, response);
    });
  }

  #forward(response: FollowResponse, send: (response: FollowResponse) => void): void {
    const { changes = [], opening } = response;
    if (opening) {
      send(response);
      return;
    }
    if (
      this.fault === 'reports progress before it sends the changes' &&
      changes.some(isConfigMap) &&
      this.#shouldInject()
    ) {
      send({ ...response, changes: [] });
      return;
    }
    send({ ...response, changes: changes.flatMap((change, i) => this.#inject(change, i, changes)) });
  }

  #shouldInject(): boolean {
    if (this.#opportunities++ % INJECT_EVERY !== INJECT_EVERY - 1) return false;
    this.injected++;
    return true;
  }

  #inject(change: Change, i: number, all: readonly Change[]): Change[] {
    if (!isConfigMap(change)) return [change];
    switch (this.fault) {
      case 'drops a change':
        return this.#shouldInject() ? [] : [change];
      case 'duplicates a change':
        return this.#shouldInject() ? [change, change] : [change];
      case 'repeats a change under the next version':
        return this.#shouldInject() ? [change, { ...change, revision: change.revision + 1 }] : [change];
      case 'sends a change with another version':
        return this.#shouldInject() ? [{ ...change, revision: change.revision + 1 }] : [change];
      case 'swaps two changes': {
        // the first of a pair is sent after the second
        const next = all[i + 1];
        if (i % 2 === 1) return this.#swapped.delete(change.revision) ? [] : [change];
        if (next === undefined || !isConfigMap(next) || !this.#shouldInject()) return [change];
        this.#swapped.add(next.revision);
        return [next, change];
      }
      case 'selects by outdated labels':
        return [this.#withOutdatedLabels(change)];
      default:
        return [change];
    }
  }

  #withOutdatedLabels(change: Change): Change {
    const name = `${change.key.namespace}/${change.key.name}`;
    const old = this.#selections.get(name);
    this.#selections.set(name, change.selection);
    if (old === undefined || change.kind !== writeKind.update || !this.#shouldInject()) return change;
    return { ...change, selection: old };
  }
}

function isConfigMap({ key }: Change): boolean {
  return key.resource === 'configmaps';
}

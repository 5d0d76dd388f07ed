import { createHash, randomUUID } from 'node:crypto';
import type { ChannelCredentials, Client } from '@grpc/grpc-js';
import { grpcClient } from './grpc.ts';
import { type Replica, ReplicaNames, type ReplicaNamesOptions } from './replica-names.ts';

interface ReplicasOptions extends Omit<ReplicaNamesOptions, 'changed'> {
  readonly credentials: ChannelCredentials;
  /** called when another replica is used although the previous one has not failed: the set of replicas has changed */
  readonly moved?: () => void;
  /** an id of this process; callers with different ids prefer different replicas */
  readonly caller?: string;
}

const CALLER = randomUUID();

/**
 * Clients for all replicas of a part, one of which is in use.
 *
 * Invariant: there is always a client in use. Fixed addresses keep their configured order. Replicas behind names are
 * ordered by rendezvous hashing with the caller's id, so callers are spread over replicas, and only those that prefer a
 * new replica move to it.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #names: ReplicaNames;
  readonly #clients = new Map<string, Client>();
  #order: readonly string[] = [];
  #turn = 0;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#names = new ReplicaNames({ ...options, changed: (replicas) => this.#take(replicas) });
    this.#take(this.#names.replicas);
  }

  get count(): number {
    return this.#order.length;
  }

  /** The client in use. */
  client(): Client {
    return this.#at(this.#turn);
  }

  /** For one operation: the client in use, and the next one for each further attempt. */
  rotation(): (attempt: number) => Client {
    const first = this.#turn;
    return (attempt) => this.#at(first + attempt);
  }

  /** Switches to the next replica after a failure. */
  next(): void {
    this.#turn++;
  }

  close(): void {
    this.#names.close();
    for (const client of this.#clients.values()) client.close();
  }

  #at(turn: number): Client {
    return this.#clients.get(this.#address(turn)) as Client;
  }

  #address(turn = this.#turn): string {
    return this.#order[turn % this.#order.length] as string;
  }

  #take(replicas: readonly Replica[]): void {
    const before = this.#order.length === 0 ? undefined : this.#address();
    for (const replica of replicas) {
      const { address } = replica;
      if (this.#clients.has(address)) continue;
      this.#clients.set(address, replicaClient(replica, this.#options.credentials));
    }
    this.#order = ordered(replicas, this.#options.caller ?? CALLER);
    this.#turn = 0;
    if (before !== undefined && before !== this.#address()) this.#options.moved?.();
    for (const [address, client] of this.#clients) {
      if (this.#order.includes(address)) continue;
      this.#clients.delete(address);
      // active calls continue
      client.close();
    }
  }
}

/** A client for one replica. */
export function replicaClient({ address, serverName }: Replica, credentials: ChannelCredentials): Client {
  const named = serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName };
  return grpcClient(address, credentials, named);
}

/** Rendezvous hashing: each replica is preferred by an equal share of callers, and a new one takes only its share. */
function ordered(replicas: readonly Replica[], caller: string): readonly string[] {
  const given = replicas.filter(({ serverName }) => serverName === undefined);
  const named = replicas.filter(({ serverName }) => serverName !== undefined);
  const weight = ({ address }: Replica) => createHash('sha256').update(`${caller} ${address}`).digest('hex');
  const byWeight = named.map((replica) => ({ address: replica.address, weight: weight(replica) }));
  byWeight.sort((a, b) => (a.weight < b.weight ? -1 : 1));
  return [...given, ...byWeight].map(({ address }) => address);
}

import { createHash, randomUUID } from 'node:crypto';
import type { ChannelCredentials, Client } from '@grpc/grpc-js';
import { grpcClient } from './grpc.ts';
import { type Replica, ReplicaNames, type ReplicaNamesOptions } from './replica-names.ts';

interface ReplicasOptions extends Omit<ReplicaNamesOptions, 'changed'> {
  readonly credentials: ChannelCredentials;
  /** another replica is to be used from now on, though the one in use has not failed: it is gone, or others have come */
  readonly moved?: () => void;
  /** of this process; callers with different ones prefer different replicas */
  readonly caller?: string;
}

const CALLER = randomUUID();

/**
 * Clients of all replicas of a part, one of them in use.
 *
 * Invariant: there is always one. Those whose addresses were given stand in the order in which they were given; those behind
 * names in an order of this process's own, so that callers spread over replicas, and only those move to a new replica
 * that prefer it to all others.
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

  /** The one in use. */
  client(): Client {
    return this.#at(this.#turn);
  }

  /** For one piece of work: the one in use, and for each further attempt the next. */
  inTurn(): (attempt: number) => Client {
    const first = this.#turn;
    return (attempt) => this.#at(first + attempt);
  }

  /** The one in use has failed. */
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
      // calls that are under way go on
      client.close();
    }
  }
}

/** A client of this one replica. */
export function replicaClient({ address, serverName }: Replica, credentials: ChannelCredentials): Client {
  const named = serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName };
  return grpcClient(address, credentials, named);
}

/** Of all callers about as many prefer each replica, and a new one takes no more than its share from each other. */
function ordered(replicas: readonly Replica[], caller: string): readonly string[] {
  const given = replicas.filter(({ serverName }) => serverName === undefined);
  const named = replicas.filter(({ serverName }) => serverName !== undefined);
  const weight = ({ address }: Replica) => createHash('sha256').update(`${caller} ${address}`).digest('hex');
  const byWeight = named.map((replica) => ({ address: replica.address, weight: weight(replica) }));
  byWeight.sort((a, b) => (a.weight < b.weight ? -1 : 1));
  return [...given, ...byWeight].map(({ address }) => address);
}

import type { Client, ClientOptions } from '../generator/client.ts';
import { type Once, type Operation, onceOf, openClient, type Place, speaksHttp2 } from '../generator/operations.ts';

/** A system that the process sends to. */
export interface Side {
  readonly name: string;
  readonly address: ClientOptions;
  readonly place: Place;
}

/** One stretch of one operation, on all sides at the same time. */
export interface Turn {
  readonly operation: Operation;
  readonly clients: number;
  readonly count: number;
  /** the index of the first object that a creation or deletion takes */
  readonly first: number;
}

export type Order = { readonly open: Side } | { readonly turn: Turn };

/** The connections to one system, which stay open from turn to turn, so that no turn includes a handshake. */
class OpenSide {
  readonly #side: Side;
  readonly #clients = new Map<string, Promise<Client[]>>();
  readonly #once = new Map<Operation, Promise<Once>>();

  constructor(side: Side) {
    this.#side = side;
  }

  async run({ operation, clients: number, count, first }: Turn): Promise<void> {
    const clients = await this.#connected(operation, number);
    const once = await this.#operation(operation, clients[0] as Client);
    const end = first + count;
    let next = first;
    await Promise.all(
      clients.map(async (client) => {
        for (let i = next++; i < end; i = next++) {
          const { code } = await once(client, i);
          if (code < 200 || code > 299) throw new Error(`${this.#side.name} answered ${code} to ${operation}`);
        }
      }),
    );
  }

  #connected(operation: Operation, number: number): Promise<Client[]> {
    const key = `${speaksHttp2(operation)} ${number}`;
    let clients = this.#clients.get(key);
    if (clients === undefined) {
      clients = Promise.all(Array.from({ length: number }, () => openClient(operation, this.#side.address)));
      this.#clients.set(key, clients);
    }
    return clients;
  }

  #operation(operation: Operation, client: Client): Promise<Once> {
    let once = this.#once.get(operation);
    if (once === undefined) {
      once = onceOf(operation, this.#side.place, client);
      this.#once.set(operation, once);
    }
    return once;
  }
}

const sides: OpenSide[] = [];

/** One process sends to both systems, so that both get their requests from the same compiled code at the same time. */
process.on('message', (order: Order) => {
  carryOut(order).then(
    () => process.send?.({ done: true }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));

async function carryOut(order: Order): Promise<void> {
  if ('open' in order) sides.push(new OpenSide(order.open));
  else await Promise.all(sides.map((side) => side.run(order.turn)));
}

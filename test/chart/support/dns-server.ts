import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;

/** A DNS server on loopback for the names of a test. It answers NXDOMAIN to other names. */
export class DnsServer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #find: (name: string) => readonly string[] | undefined;

  constructor(find: (name: string) => readonly string[] | undefined) {
    this.#find = find;
    this.#socket.on('message', (query, { port, address }) => this.#socket.send(this.#answer(query), port, address));
  }

  async start(): Promise<string> {
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  /** The header and question of the query, then one A record for each address. */
  #answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const known = this.#find(labels.join('.').toLowerCase());
    const addresses = type === TYPE_A ? (known ?? []) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
    );
    return Buffer.concat([header, question, ...records]);
  }
}

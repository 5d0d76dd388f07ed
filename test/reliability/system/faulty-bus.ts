import { connect, createServer, type Server, type Socket } from 'node:net';
import { Random } from '@tidegate/testkit';
import { type NatsFrame, NatsFrames } from './nats-frames.ts';

export type BusFault = 'lost' | 'doubled' | 'reordered' | 'delayed';

interface FaultyBusOptions {
  /** the URL of the real server */
  readonly url: string;
  readonly seed: number;
  /** how many percent of the messages each fault affects */
  readonly percent: number;
}

const CHANGES = 'tidegate.changes.';
/** The longest time that a reordered message waits for its successor. */
const HELD_MS = 100;
const DELAY_MS = { least: 5, most: 400 };

/**
 * A proxy between the parts and the real NATS. It loses, duplicates, reorders and delays messages with changes, both
 * published and delivered ones, as the seed determines; all other messages pass.
 *
 * Deliveries are numbered, and the client library requests missing ones again. Faults of published messages can only be
 * detected by the feed of the watch service.
 */
export class FaultyBus {
  /** all messages pass while this is false */
  faulty = false;
  readonly published = counts();
  readonly delivered = counts();
  readonly #options: FaultyBusOptions;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(options: FaultyBusOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Returns the URL for the parts. */
  async start(): Promise<string> {
    const { port, hostname } = new URL(this.#options.url);
    const server = createServer((client) => this.#proxy(client, connect(Number(port), hostname)));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.#options.url);
    url.port = String((server.address() as { port: number }).port);
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #proxy(client: Socket, server: Socket): void {
    for (const [from, to, counted] of [
      [client, server, this.published],
      [server, client, this.delivered],
    ] as const) {
      const frames = new NatsFrames();
      const direction = new Direction((bytes) => to.writable && to.write(bytes));
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (part) => {
        for (const frame of frames.parse(part as Buffer)) this.#forward(frame, direction, counted);
      });
      // the other end notices a broken connection by itself
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        direction.close();
        to.destroy();
      });
    }
  }

  #forward(frame: NatsFrame, direction: Direction, counted: Counts): void {
    const isChange = frame.subject.startsWith(CHANGES);
    const fault = this.faulty && isChange ? this.#choose() : 'passed';
    if (isChange) counted[fault]++;
    if (fault === 'reordered') direction.hold(frame.bytes);
    else if (fault === 'delayed') direction.sendLater(frame.bytes, this.#random.between(DELAY_MS.least, DELAY_MS.most));
    else if (fault !== 'lost') direction.send(frame.bytes);
    if (fault === 'doubled') direction.send(withoutMessageId(frame.bytes));
    if (fault === 'passed' && isChange) direction.release();
  }

  #choose(): BusFault | 'passed' {
    const { percent } = this.#options;
    const faults = { lost: percent, doubled: percent, reordered: percent, delayed: percent };
    return this.#random.weighted({ ...faults, passed: 100 - 4 * percent });
  }
}

type Counts = Record<BusFault | 'passed', number>;

function counts(): Counts {
  return { passed: 0, lost: 0, doubled: 0, reordered: 0, delayed: 0 };
}

/** One direction of one connection. Held messages are sent after the next message that passes. */
class Direction {
  readonly send: (bytes: Buffer) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: Buffer[] = [];

  constructor(send: (bytes: Buffer) => void) {
    this.send = send;
  }

  sendLater(bytes: Buffer, ms: number): void {
    this.#after(ms, () => this.send(bytes));
  }

  hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#after(HELD_MS, () => this.release());
  }

  release(): void {
    for (const bytes of this.#held.splice(0)) this.send(bytes);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#held = [];
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}

const ID = 'Nats-Msg-Id:';

/** Renames the header with the message id, because JetStream drops a second message with the same id. */
function withoutMessageId(bytes: Buffer): Buffer {
  const at = bytes.indexOf(ID);
  if (at < 0) return bytes;
  const copy = Buffer.from(bytes);
  copy.write('Nats-Msg-Xx:', at);
  return copy;
}

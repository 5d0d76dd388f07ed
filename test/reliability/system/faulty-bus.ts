import { connect, createServer, type Server, type Socket } from 'node:net';
import { Random } from '@tidegate/testkit';
import { type NatsFrame, NatsFrames } from './nats-frames.ts';

export type BusFault = 'lost' | 'doubled' | 'reordered' | 'delayed';

interface FaultyBusOptions {
  /** the real server, as the parts would be given it */
  readonly url: string;
  readonly seed: number;
  /** how often a fault meets a message, each: of a hundred */
  readonly percent: number;
}

const CHANGES = 'tidegate.changes.';
/** One that waits for its successor does not wait for longer. */
const HELD_MS = 100;
const DELAY_MS = { least: 5, most: 400 };

/**
 * Stands between parts and the real NATS. Messages with changes, on their way in (what stores publish) and on their way
 * out (what JetStream delivers), are lost, doubled, reordered and delayed, as the seed says; everything else passes.
 *
 * Deliveries are numbered, and the client library has them sent anew when a number is missing. What happens to a
 * message on its way in nobody but the watch service's feed can notice.
 */
export class FaultyBus {
  /** while this is false everything passes */
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

  /** Answers the address that parts are to be given. */
  async start(): Promise<string> {
    const { port, hostname } = new URL(this.#options.url);
    const server = createServer((client) => this.#join(client, connect(Number(port), hostname)));
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

  #join(client: Socket, server: Socket): void {
    for (const [from, to, counted] of [
      [client, server, this.published],
      [server, client, this.delivered],
    ] as const) {
      const frames = new NatsFrames();
      const lane = new Lane((bytes) => to.writable && to.write(bytes));
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (part) => {
        for (const frame of frames.take(part as Buffer)) this.#pass(frame, lane, counted);
      });
      // whoever is cut off finds out by itself
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        lane.close();
        to.destroy();
      });
    }
  }

  #pass(frame: NatsFrame, lane: Lane, counted: Counts): void {
    const isChange = frame.subject.startsWith(CHANGES);
    const fault = this.faulty && isChange ? this.#choose() : 'passed';
    if (isChange) counted[fault]++;
    if (fault === 'reordered') lane.hold(frame.bytes);
    else if (fault === 'delayed') lane.sendLater(frame.bytes, this.#random.between(DELAY_MS.least, DELAY_MS.most));
    else if (fault !== 'lost') lane.send(frame.bytes);
    if (fault === 'doubled') lane.send(underAnotherId(frame.bytes));
    if (fault === 'passed' && isChange) lane.release();
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

/** One direction of one connection. What is held goes out behind the next message that passes. */
class Lane {
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

/** JetStream drops a second message with the id of the first: the name of the header is spoilt. */
function underAnotherId(bytes: Buffer): Buffer {
  const at = bytes.indexOf(ID);
  if (at < 0) return bytes;
  const copy = Buffer.from(bytes);
  copy.write('Nats-Msg-Xx:', at);
  return copy;
}

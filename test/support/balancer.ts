import { connect, createServer, type Server, type Socket } from 'node:net';

interface BackEnd {
  readonly port: number;
  readonly isReady: () => Promise<boolean>;
}

const PROBE_INTERVAL_MS = 200;

/**
 * One address for several servers, like a Kubernetes Service: each new connection is forwarded to the next ready server
 * and stays there. The balancer does not parse the traffic and does not retry.
 */
export class Balancer {
  readonly #backEnds: readonly BackEnd[];
  readonly #ready = new Set<BackEnd>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #isProbing = false;

  private constructor(backEnds: readonly BackEnd[]) {
    this.#backEnds = backEnds;
    this.#server = createServer((socket) => this.#forward(socket));
    this.#timer = setInterval(() => void this.#probe(), PROBE_INTERVAL_MS);
  }

  static async open(backEnds: readonly BackEnd[]): Promise<Balancer> {
    const balancer = new Balancer(backEnds);
    await balancer.#probe();
    await new Promise<void>((resolve) => {
      balancer.#server.listen(0, '127.0.0.1', resolve);
    });
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A probe that is still running is not overtaken: its late result must not replace a newer one. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    await Promise.all(
      this.#backEnds.map(async (backEnd) => {
        if (await backEnd.isReady()) this.#ready.add(backEnd);
        else this.#ready.delete(backEnd);
      }),
    ).finally(() => {
      this.#isProbing = false;
    });
  }

  #forward(client: Socket): void {
    const ready = [...this.#ready];
    const chosen = ready[this.#next++ % ready.length];
    if (chosen === undefined) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(chosen.port, '127.0.0.1');
    const pair = [client, server];
    for (const [i, socket] of pair.entries()) {
      const other = pair[1 - i] as Socket;
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.pipe(other);
      // an error or close of one socket ends the other
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.end();
      });
    }
  }
}

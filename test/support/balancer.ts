import { connect, createServer, type Server, type Socket } from 'node:net';

interface BackEnd {
  readonly port: number;
  readonly isReady: () => Promise<boolean>;
}

const LOOK_MS = 200;

/**
 * One address for several servers, as a Service of Kubernetes is one: each new connection goes to the next that was ready
 * when it was last asked, and stays there. It knows nothing of what is said on it, and never tries another.
 */
export class Balancer {
  readonly #backEnds: readonly BackEnd[];
  readonly #ready = new Set<BackEnd>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  private constructor(backEnds: readonly BackEnd[]) {
    this.#backEnds = backEnds;
    this.#server = createServer((socket) => this.#pass(socket));
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  static async open(backEnds: readonly BackEnd[]): Promise<Balancer> {
    const balancer = new Balancer(backEnds);
    await balancer.#look();
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

  async #look(): Promise<void> {
    await Promise.all(
      this.#backEnds.map(async (backEnd) => {
        if (await backEnd.isReady()) this.#ready.add(backEnd);
        else this.#ready.delete(backEnd);
      }),
    );
  }

  #pass(client: Socket): void {
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
      // what happens to one end happens to the other
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.end();
      });
    }
  }
}

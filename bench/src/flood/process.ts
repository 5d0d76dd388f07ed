import { setPriority } from 'node:os';
import { Connection } from '../generator/connection.ts';

/** The job of one process: requests at a fixed rate, or one after another on each connection. */
export interface FloodJob {
  readonly server: string;
  readonly senders: readonly Sender[];
  readonly seconds: number;
  /** runs with low CPU priority, so that the flood does not slow down the measuring process */
  readonly isLowPriority: boolean;
}

export interface Sender {
  readonly name: string;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  /** a merge patch; NUMBER is replaced by a different number each time */
  readonly body?: string;
  readonly connections: number;
  /** requests a second on each connection; 0 for as fast as possible */
  readonly rate: number;
}

export interface Sent {
  readonly name: string;
  /** milliseconds, sorted */
  readonly latencies: number[];
  readonly codes: Record<string, number>;
}

process.once('message', (job: FloodJob) => {
  if (job.isLowPriority) setPriority(19);
  run(job).then(
    (sent) => process.send?.({ sent }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit(0));

async function run({ server, senders, seconds }: FloodJob): Promise<Sent[]> {
  const { hostname: host, port } = new URL(server);
  const ready = await Promise.all(
    senders.map(async (sender) => {
      const open = () => Connection.open({ host, port: Number(port), token: sender.token });
      const connections = await Promise.all(Array.from({ length: sender.connections }, open));
      return { sender, connections };
    }),
  );
  process.send?.({ ready: true });
  const end = performance.now() + seconds * 1000;
  return Promise.all(
    ready.map(async ({ sender, connections }) => {
      const sent: Sent = { name: sender.name, latencies: [], codes: {} };
      await Promise.all(connections.map((connection) => sendUntil(end, { sender, connection, sent })));
      sent.latencies.sort((a, b) => a - b);
      return sent;
    }),
  );
}

interface SendOptions {
  readonly sender: Sender;
  readonly connection: Connection;
  readonly sent: Sent;
}

async function sendUntil(end: number, { sender, connection, sent }: SendOptions): Promise<void> {
  const { method, path, body, rate } = sender;
  while (performance.now() < end) {
    const started = performance.now();
    const bytes = body === undefined ? undefined : Buffer.from(body.replace('NUMBER', String(sent.latencies.length)));
    const reply = connection.request(method, path, bytes, 'application/merge-patch+json');
    const answer = await Promise.race([reply.catch(() => undefined), pause(end - started).then(() => undefined)]);
    if (answer === undefined) break;
    const took = performance.now() - started;
    sent.latencies.push(took);
    sent.codes[answer.code] = (sent.codes[answer.code] ?? 0) + 1;
    if (rate > 0) await pause(1000 / rate - took);
  }
  connection.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms)).unref();
  });
}

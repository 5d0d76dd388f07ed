import { setPriority } from 'node:os';
import { Connection } from '../generator/connection.ts';

/** What one process is told to send: requests at a pace, or one after the other on each connection. */
export interface FloodJob {
  readonly server: string;
  readonly senders: readonly Sender[];
  readonly seconds: number;
  /** leaves the core to others that want it: what floods must not slow down who measures */
  readonly isPatient: boolean;
}

export interface Sender {
  readonly name: string;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  /** a merge patch; NUMBER in it is another one each time */
  readonly body?: string;
  readonly connections: number;
  /** a second, on each connection; 0: as fast as answers come */
  readonly rate: number;
}

export interface Sent {
  readonly name: string;
  /** milliseconds, sorted */
  readonly latencies: number[];
  readonly codes: Record<string, number>;
}

process.once('message', (job: FloodJob) => {
  if (job.isPatient) setPriority(19);
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

interface Sending {
  readonly sender: Sender;
  readonly connection: Connection;
  readonly sent: Sent;
}

async function sendUntil(end: number, { sender, connection, sent }: Sending): Promise<void> {
  const { method, path, body, rate } = sender;
  while (performance.now() < end) {
    const started = performance.now();
    const bytes = body === undefined ? undefined : Buffer.from(body.replace('NUMBER', String(sent.latencies.length)));
    const asked = connection.ask(method, path, bytes, 'application/merge-patch+json');
    const answer = await Promise.race([asked.catch(() => undefined), pause(end - started).then(() => undefined)]);
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

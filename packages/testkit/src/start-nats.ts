import { createConnection } from 'node:net';
import { join } from 'node:path';
import {
  cacheDir,
  findNats,
  freePort,
  natsUrl,
  openLogFile,
  type Running,
  signalQuietly,
  startNatsServer,
} from '@tidegate/local';
import { booked } from './account.ts';
import { temporaryDir } from './temporary-dir.ts';
import { needs } from './tools.ts';
import { until } from './until.ts';

export interface TestNats {
  /** stays the same over restarts */
  readonly url: string;
  readonly pid: number;
  /** as a crash does */
  kill(): Promise<void>;
  /** starts it again after kill(), or ends it and starts it again; what JetStream kept in files is still there */
  restart(): Promise<void>;
  /** ends it and removes its data */
  stop(): Promise<void>;
}

/** With it clients are served over TLS only, and must have a certificate of this authority. */
interface NatsTls {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** A real NATS with JetStream of the test's own; throws and says how to get one when there is none. */
export function startNats(tls?: NatsTls): Promise<TestNats> {
  return booked('NATS starts', () => started(tls));
}

async function started(tls?: NatsTls): Promise<TestNats> {
  const binary = await natsBinary();
  const temporary = temporaryDir('nats');
  const options = {
    binary,
    dir: join(temporary.path, 'nats'),
    port: await freePort(),
    password: 'test',
    ...(tls && { tls }),
  };
  const start = (): Running => startNatsServer(options, openLogFile(join(temporary.path, 'log')));
  let running = start();
  const ready = (): Promise<unknown> => until('NATS to answer', () => answers(options.port));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await running.known;
    signalQuietly(running.pid, signal);
    await running.ended;
  };
  await ready();
  return {
    url: natsUrl(options),
    get pid() {
      return running.pid as number;
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      running = start();
      await ready();
    },
    async stop() {
      await end('SIGKILL');
      temporary.remove();
    },
  };
}

/** From where `tidegate start` takes it, too. */
export async function natsBinary(): Promise<string> {
  const found = await find();
  if (found.kind === 'found') return found.path;
  throw new Error(`this test needs nats-server: put one on the path, or run once with the network (${found.reason})`);
}

/** undefined where it can be had; then `tidegate start` has it, too. */
export async function whyNoNats(): Promise<string | undefined> {
  return (await find()).kind === 'found' ? undefined : needs('nats');
}

function find(): ReturnType<typeof findNats> {
  return findNats({
    cacheDir: cacheDir(),
    env: process.env,
    closing: new AbortController().signal,
    during: (_, work) => work,
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    // the server speaks first
    socket.once('data', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

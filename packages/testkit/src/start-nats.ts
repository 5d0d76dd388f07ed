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
import { temporaryDir } from './temporary-dir.ts';
import { timed } from './time-spent.ts';
import { needs } from './tools.ts';
import { until } from './until.ts';

export interface TestNats {
  /** stays the same after restarts */
  readonly url: string;
  readonly pid: number;
  /** kills it, as in a crash */
  kill(): Promise<void>;
  /** restarts it; JetStream's files are kept */
  restart(): Promise<void>;
  /** stops it and removes its data */
  stop(): Promise<void>;
}

/** Requires TLS and client certificates of this authority. */
interface NatsTls {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** Starts a real NATS server with JetStream. If the program is missing, the error says how to get it. */
export function startNats(tls?: NatsTls): Promise<TestNats> {
  return timed('NATS starts', () => started(tls));
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

/** The program that `tidegate start` uses, too. */
export async function natsBinary(): Promise<string> {
  const found = await find();
  if (found.kind === 'found') return found.path;
  throw new Error(
    `this test needs nats-server: install it on the PATH, or run once with network access (${found.reason})`,
  );
}

/** The reason why NATS is not available; undefined if it is. */
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
    // the server sends the first message
    socket.once('data', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

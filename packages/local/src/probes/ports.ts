import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename } from 'node:path';
import { isErrno, Trouble } from '../trouble.ts';

/**
 * Below the range from which the kernel gives ports to outgoing connections: a part that is not listening yet is being
 * called already, and a caller whose own port happens to be the one it calls would connect to itself and hold it.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

const BLOCK = 40;

/**
 * Ports of this process: a part that is started again must find its port as it left it, and nobody else may be given one
 * that is not listened on yet.
 *
 * Invariant: the first port of a block is listened on by the process that the others are given by, for as long as it lives.
 */
const given: number[] = [];
let next = 0;
let claiming: Promise<void> | undefined;

/** A port that was free a moment ago, and is given once only. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const [port] = await freePorts(1, host);
  return port as number;
}

/** Several at once. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const free: number[] = [];
  while (free.length < count) {
    while (next === given.length) {
      claiming ??= claimBlock().finally(() => {
        claiming = undefined;
      });
      await claiming;
    }
    const port = given[next++] as number;
    if (await isPortFree(port, host)) free.push(port);
  }
  return free;
}

/** Adds a block to what may be given; when all are claimed, what was given may be given again. */
async function claimBlock(): Promise<void> {
  const blocks = (HIGHEST_PORT - LOWEST_PORT) / BLOCK;
  const start = randomInt(blocks);
  for (let i = 0; i < blocks; i++) {
    const first = LOWEST_PORT + ((start + i) % blocks) * BLOCK;
    if (!(await holdPort(first))) continue;
    for (let port = first + 1; port < first + BLOCK; port++) given.push(port);
    return;
  }
  next = 0;
}

/** Nobody is served there. */
async function holdPort(port: number): Promise<boolean> {
  const server = await listen(port, '127.0.0.1');
  server?.on('connection', (socket) => socket.destroy()).unref();
  return server !== undefined;
}

export async function isPortFree(port: number, host: string): Promise<boolean> {
  const server = await listen(port, host);
  if (server === undefined) return false;
  await new Promise((closed) => server.close(closed));
  return true;
}

/** One line that says who has the port, where that can be known. */
export async function demandPort(port: number, host: string): Promise<void> {
  try {
    if (await isPortFree(port, host)) return;
  } catch (error) {
    if (isErrno(error, 'EACCES')) {
      throw new Trouble(`port ${port} needs more rights than this user has: choose one above 1023 with --port`, {
        cause: error,
      });
    }
    if (isErrno(error, 'EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT')) {
      throw new Trouble(`${host} is no address of this machine: choose another with --bind-address`, { cause: error });
    }
    throw error;
  }
  const owner = portOwner(port);
  throw new Trouble(
    `port ${port} is taken${owner === undefined ? '' : ` by ${owner}`}: choose another with --port, or end what uses it`,
  );
}

/** undefined: the port is taken. */
function listen(port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (isErrno(error, 'EADDRINUSE') ? resolve(undefined) : reject(error)));
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

/** `name (process 123)`, from /proc; undefined elsewhere, or where this user may not look. */
function portOwner(port: number): string | undefined {
  try {
    const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)));
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (holdsSocket(pid, inodes)) return `${basename(readlinkSync(`/proc/${pid}/exe`))} (process ${pid})`;
    }
  } catch {
    // an error of the file system: there is no /proc, or the process belongs to somebody else. The line does without.
  }
  return undefined;
}

function listeningInodes(table: string, port: number): string[] {
  const LISTEN = '0A';
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && fields[1]?.endsWith(wanted))
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)));
  } catch {
    // an error of the file system: the process has ended, or belongs to somebody else
    return false;
  }
}

import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename } from 'node:path';
import { isErrno, UserError } from '../user-error.ts';

/**
 * Below the kernel's range for outgoing connections. Clients call a part before it listens; a client whose own port is
 * the called port would connect to itself, and block the port.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

const BLOCK = 40;

/**
 * The ports that this process may hand out. A restarted part needs its old port, and no other process may get a port on
 * which no part listens yet.
 *
 * Invariant: a process listens on the first port of each block of ports that it hands out, until it exits.
 */
const given: number[] = [];
let next = 0;
let claiming: Promise<void> | undefined;

/** Returns a port that was free a moment ago; each port is returned once. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const [port] = await freePorts(1, host);
  return port as number;
}

/** Returns several free ports. */
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

/** Claims another block of ports; when all blocks are claimed, ports of this process are returned again. */
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

/** Listens on the first port of a block, without serving clients. */
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

/** Throws an error that names the process on the port, where it is known. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  try {
    if (await isPortFree(port, host)) return;
  } catch (error) {
    if (isErrno(error, 'EACCES')) {
      throw new UserError(`port ${port} needs more rights than this user has: choose one above 1023 with --port`, {
        cause: error,
      });
    }
    if (isErrno(error, 'EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT')) {
      throw new UserError(`${host} is no address of this machine: choose another with --bind-address`, {
        cause: error,
      });
    }
    throw error;
  }
  const owner = portOwner(port);
  throw new UserError(
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

/** `name (process 123)`, from /proc; undefined on other systems, or without permission. */
function portOwner(port: number): string | undefined {
  try {
    const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)));
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (holdsSocket(pid, inodes)) return `${basename(readlinkSync(`/proc/${pid}/exe`))} (process ${pid})`;
    }
  } catch {
    // an error of the file system: there is no /proc, or the process belongs to another user. The message then names no
    // process.
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
    // an error of the file system: the process has ended, or belongs to another user
    return false;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalQuietly } from '@tidegate/local';
import type { Cluster, PartProcess, Random } from '@tidegate/testkit';

/** Injects a fault and resolves when it is over. Returns a description for the message of a failed run. */
type Fault = (cluster: Cluster, random: Random) => Promise<string>;

/** The duration of a fault. */
const pauseMs = (random: Random) => random.pick([200, 1000, 3000, 7000]);

export const faults = {
  kill: async ({ parts }, random) => {
    const [name, part] = random.pick([...parts]);
    signalQuietly(part.pid, 'SIGKILL');
    return `kill ${name}`;
  },
  'kill all of a kind': async ({ parts }, random) => {
    const kind = random.pick(['store', 'watch', 'gateway']);
    for (const [name, part] of parts) if (name.startsWith(kind)) signalQuietly(part.pid, 'SIGKILL');
    return `kill every ${kind}`;
  },
  pause: async ({ parts }, random) => {
    const [name, part] = random.pick([...parts]);
    const ms = pauseMs(random);
    await pauseProcess(part, ms);
    return `pause ${name} for ${ms} ms`;
  },
  'lose NATS': async ({ nats }, random) => {
    const ms = pauseMs(random);
    await nats?.kill();
    await sleep(ms);
    await nats?.restart();
    return `no NATS for ${ms} ms`;
  },
  'lose PostgreSQL': async ({ postgres }, random) => {
    const ms = random.pick([0, 500, 2000]);
    await postgres.kill();
    await sleep(ms);
    await postgres.restart();
    return `no PostgreSQL for ${ms} ms`;
  },
  'terminate backends': async ({ postgres }) => `terminate ${terminateBackends(postgres.pid)} backends`,
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

async function pauseProcess(part: PartProcess, ms: number): Promise<void> {
  const { pid } = part;
  signalQuietly(pid, 'SIGSTOP');
  await sleep(ms);
  signalQuietly(pid, 'SIGCONT');
}

/** The command lines of PostgreSQL processes that serve clients contain the client's address. */
const CLIENT_ADDRESS = /\[local\]|\d\(\d+\)/;

/** Sends SIGTERM to each process that serves a client, as pg_terminate_backend does. */
function terminateBackends(postmaster: number): number {
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isBackendOf(postmaster, pid));
  if (backends.length === 0) throw new Error('PostgreSQL has no backends');
  for (const pid of backends) signalQuietly(pid, 'SIGTERM');
  return backends.length;
}

function isBackendOf(postmaster: number, pid: number): boolean {
  try {
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return parent === postmaster && CLIENT_ADDRESS.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

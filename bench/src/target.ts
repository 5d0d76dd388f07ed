import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirAt, readRunState } from '@tidegate/local';
import { OptionError } from '@tidegate/options';
import { startTidegate } from '@tidegate/testkit';
import type { ServerProcess } from './cpu.ts';

/** A server to measure. */
export interface Target {
  name: string;
  server: string;
  token: string;
  processes: ServerProcess[];
  stop: () => Promise<unknown>;
}

const WITH_DESCENDANTS = new Set(['postgres', 'nats']);

/** The running system of this data directory, or else a new one, which is stopped afterwards. */
export async function ownTarget(path: string): Promise<Target> {
  const dir = dataDirAt(path);
  const state = readRunState(dir.runFile);
  if (state?.ready) return fromRunState(state, readFileSync(dir.tokens, 'utf8'), async () => {});
  return newTarget();
}

/** A new system with a data directory of its own; `main` is the main file of another version. */
export async function newTarget(
  options: Parameters<typeof startTidegate>[0] = {},
): Promise<Target & { dataDir: string }> {
  const tidegate = await startTidegate(options);
  const fresh = dataDirAt(tidegate.dataDir);
  const started = readRunState(fresh.runFile);
  if (started === undefined) throw new Error(`nothing runs in ${tidegate.dataDir}`);
  const tokens = readFileSync(join(tidegate.dataDir, 'tokens.csv'), 'utf8');
  return { ...fromRunState(started, tokens, () => tidegate.stop()), dataDir: tidegate.dataDir };
}

type RunState = NonNullable<ReturnType<typeof readRunState>>;

function fromRunState(state: RunState, tokens: string, stop: Target['stop']): Target {
  const processes = state.parts.map(({ name, pid }) => ({ name, pid, descendants: WITH_DESCENDANTS.has(name) }));
  return { name: 'tidegate', server: state.server, token: tokens.split(',')[0] as string, processes, stop };
}

/** Another Kubernetes-compatible server, by its address. */
export function peerTarget(url: string, token: string, processes: readonly string[]): Target {
  const { hostname } = new URL(url);
  if (!/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname)) {
    throw new OptionError(
      `--peer must be an address of this machine, not ${hostname}: load is sent to this machine only`,
    );
  }
  return { name: 'peer', server: url, token, processes: processes.map(processOf), stop: async () => {} };
}

/** Parses `name=pid`, or `name=pid+` to include descendants. */
function processOf(text: string): ServerProcess {
  const match = /^([^=]+)=(\d+)(\+?)$/.exec(text);
  if (match === null) throw new OptionError(`--peer-procs takes name=pid or name=pid+, not ${JSON.stringify(text)}`);
  return { name: match[1] as string, pid: Number(match[2]), descendants: match[3] === '+' };
}

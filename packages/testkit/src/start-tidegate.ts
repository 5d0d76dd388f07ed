import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataDir, dataDirAt, isRunning, type RunState, readRunState } from '@tidegate/local';
import { busyParts } from './idle-cpu.ts';
import { programFile } from './programs/program.ts';
import { temporaryDir } from './temporary-dir.ts';
import { timed } from './time-spent.ts';
import { until } from './until.ts';

interface StartTidegateOptions {
  /** further options of `tidegate start` */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** a data directory that is kept at the end, for a second start; without it the data is new and is removed */
  readonly dataDir?: string;
  /** fills the data directory before the start; it is removed at the end */
  readonly prepare?: (dataDir: string) => Promise<void>;
  /** the main file of another version; without it, this checkout runs */
  readonly main?: string;
}

export interface TestTidegate {
  readonly server: string;
  readonly kubeconfig: string;
  readonly token: string;
  readonly caFile: string;
  readonly dataDir: string;
  /** its output so far, from both streams */
  readonly output: string;
  /** the process id of a part: gateway, gateway-2, store, watch, health, postgres, nats */
  pid(part: string): number;
  /** resolves with the new process id when a part has been restarted */
  restarted(part: string, oldPid: number): Promise<number>;
  /** the state of a part, with its addresses for gRPC and probes */
  part(part: string): RunState['parts'][number];
  /** Fails if a part is busy without requests. */
  checkIdle(): Promise<void>;
  /** stops it in order, as Ctrl-C does, and returns the exit code. Fails if a part was not idle. */
  stop(): Promise<number | null>;
  /** kills only the launcher */
  kill(): Promise<void>;
}

const READY_LIMIT_MS = 120_000;

/** Starts the whole system with `tidegate start`, on a free port. */
export async function startTidegate(options: StartTidegateOptions = {}): Promise<TestTidegate> {
  const temporary = temporaryDir('tidegate');
  const dir = dataDirAt(options.dataDir ?? join(temporary.path, 'data'));
  await options.prepare?.(dir.path);
  const child = spawnLauncher(options.main ?? (await programFile('tidegate')), dir, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const state = await timed('a system starts', () => whenReady(dir, child, exited, () => output));
  const part = (name: string): RunState['parts'][number] => {
    const found = readRunState(dir.runFile)?.parts.find((entry) => entry.name === name);
    if (found === undefined) throw new Error(`no part ${name} is running; the output of the launcher:\n${output}`);
    return found;
  };
  return {
    server: state.server,
    kubeconfig: state.kubeconfig,
    token: readFileSync(dir.tokens, 'utf8').split(',')[0] as string,
    caFile: join(dir.certs, 'ca.crt'),
    dataDir: dir.path,
    get output() {
      return output;
    },
    part,
    pid: (name) => part(name).pid,
    restarted: (name, oldPid) =>
      until(`${name} to be started again`, () => {
        const now = readRunState(dir.runFile)?.parts.find((entry) => entry.name === name)?.pid;
        return now === oldPid ? undefined : now;
      }),
    checkIdle: () => checkIdle(dir),
    async stop() {
      const busy = child.exitCode === null ? await checkIdle(dir).catch((error: Error) => error) : undefined;
      const code = await timed('a system ends', async () => {
        child.kill('SIGTERM');
        const code = await exited;
        await partsGone(dir);
        return code;
      });
      temporary.remove();
      if (busy !== undefined) throw busy;
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function checkIdle(dir: DataDir): Promise<void> {
  const busy = await timed('idle checks of a system', () => busyParts(() => ownParts(dir)));
  if (busy.length > 0) throw new Error(`Without requests, ${busy.join(', and ')}.`);
}

function spawnLauncher(main: string, dir: DataDir, options: StartTidegateOptions): ChildProcess {
  const isEmpty = options.dataDir === undefined && options.prepare === undefined;
  const fresh = isEmpty ? ['--ephemeral'] : ['--port=0'];
  const env = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TIDEGATE_') || name === 'TIDEGATE_CACHE_DIR',
  );
  return spawn(process.execPath, [main, 'start', `--data-dir=${dir.path}`, ...fresh, ...(options.args ?? [])], {
    // the launcher notices the end of the test process by this channel
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...Object.fromEntries(env), ...options.env },
  });
}

/** Waits for the run file of this launcher; the file of a killed launcher may still exist. */
async function whenReady(
  dir: DataDir,
  child: ChildProcess,
  exited: Promise<unknown>,
  output: () => string,
): Promise<RunState> {
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  const state = await until(
    'tidegate to be ready',
    () => {
      if (gone) return 'gone' as const;
      const now = readRunState(dir.runFile);
      const isAnnounced = output().includes(' is ready at ');
      return now?.ready && now.launcher.pid === child.pid && isAnnounced ? now : undefined;
    },
    READY_LIMIT_MS,
  );
  if (state === 'gone') throw new Error(`tidegate did not start:\n${output()}`);
  return state;
}

/** The parts of this project. PostgreSQL and NATS are left out, because they may have background work. */
function ownParts(dir: DataDir): RunState['parts'] {
  const parts = readRunState(dir.runFile)?.parts ?? [];
  return parts.filter(({ name }) => !/^(postgres|nats)/.test(name));
}

/** After kill() the parts end by themselves; this must be before their directory is removed. */
async function partsGone(dir: DataDir): Promise<void> {
  const left = readRunState(dir.runFile)?.parts ?? [];
  await until('the parts to end', () => !left.some(isRunning));
}

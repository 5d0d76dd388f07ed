import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataDir, dataDirAt, isRunning, type RunState, readRunState } from '@tidegate/local';
import { booked } from './account.ts';
import { busyParts } from './idle-cpu.ts';
import { programFile } from './programs/program.ts';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

interface StartTidegateOptions {
  /** further options of `tidegate start` */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** a directory of the test's own, kept at the end, for a second start; without it the data is fresh and removed */
  readonly dataDir?: string;
  /** fills the data directory before the start, instead of an empty one; it is removed at the end all the same */
  readonly prepare?: (dataDir: string) => Promise<void>;
}

export interface TestTidegate {
  readonly server: string;
  readonly kubeconfig: string;
  readonly token: string;
  readonly caFile: string;
  readonly dataDir: string;
  /** what it has said so far, both streams */
  readonly output: string;
  /** of a part as it runs now: gateway, gateway-2, store, watch, health, postgres, nats */
  pid(part: string): number;
  /** resolves with the new number once a part has been started again */
  restarted(part: string, oldPid: number): Promise<number>;
  /** its addresses for gRPC and for probes */
  part(part: string): RunState['parts'][number];
  /** Fails when a part is busy though nobody asks it anything. */
  rests(): Promise<void>;
  /** in order, as Ctrl-C does; answers the exit code. Fails when the parts do not rest. */
  stop(): Promise<number | null>;
  /** the launcher only, without warning */
  kill(): Promise<void>;
}

const READY_LIMIT_MS = 120_000;

/** The whole system, as `tidegate start` brings it up, on a free port. */
export async function startTidegate(options: StartTidegateOptions = {}): Promise<TestTidegate> {
  const temporary = temporaryDir('tidegate');
  const dir = dataDirAt(options.dataDir ?? join(temporary.path, 'data'));
  await options.prepare?.(dir.path);
  const child = spawnLauncher(await programFile('tidegate'), dir, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const state = await booked('a system starts', () => whenReady(dir, child, exited, () => output));
  const part = (name: string): RunState['parts'][number] => {
    const found = readRunState(dir.runFile)?.parts.find((entry) => entry.name === name);
    if (found === undefined) throw new Error(`no part ${name} runs; the launcher said:\n${output}`);
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
    rests: () => rests(dir),
    async stop() {
      const busy = child.exitCode === null ? await rests(dir).catch((error: Error) => error) : undefined;
      const code = await booked('a system ends', async () => {
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

async function rests(dir: DataDir): Promise<void> {
  const busy = await booked('a system rests, to see that nothing spins', () => busyParts(() => ownParts(dir)));
  if (busy.length > 0) throw new Error(`With nobody asking, ${busy.join(', and ')}.`);
}

function spawnLauncher(main: string, dir: DataDir, options: StartTidegateOptions): ChildProcess {
  const isEmpty = options.dataDir === undefined && options.prepare === undefined;
  const fresh = isEmpty ? ['--ephemeral'] : ['--port=0'];
  const env = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TIDEGATE_') || name === 'TIDEGATE_CACHE_DIR',
  );
  return spawn(process.execPath, [main, 'start', `--data-dir=${dir.path}`, ...fresh, ...(options.args ?? [])], {
    // the channel tells the launcher when the test is gone
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...Object.fromEntries(env), ...options.env },
  });
}

/** The file of a launcher that was killed lies there until the next one has cleared it away. */
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
      const said = output().includes(' is ready at ');
      return now?.ready && now.launcher.pid === child.pid && said ? now : undefined;
    },
    READY_LIMIT_MS,
  );
  if (state === 'gone') throw new Error(`tidegate did not start:\n${output()}`);
  return state;
}

/** The parts of this project; PostgreSQL and NATS have work of their own. */
function ownParts(dir: DataDir): RunState['parts'] {
  const parts = readRunState(dir.runFile)?.parts ?? [];
  return parts.filter(({ name }) => !/^(postgres|nats)/.test(name));
}

/** After kill() the parts end by themselves, and must have before their directory goes. */
async function partsGone(dir: DataDir): Promise<void> {
  const left = readRunState(dir.runFile)?.parts ?? [];
  await until('the parts to end', () => !left.some(isRunning));
}

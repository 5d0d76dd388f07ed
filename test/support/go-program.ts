import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { takeLock } from '@tidegate/local';

/** between two looks at a program that another process builds */
const WAIT_MS = 200;

interface GoProgram {
  readonly name: string;
  /** the text of main.go */
  readonly main: string;
  /** the direct dependencies, with their versions */
  readonly modules: readonly string[];
  readonly target: string;
  /** the program of a module to build, instead of main.go */
  readonly published?: string;
  /** a build that takes longer is aborted; the next one continues from the build cache */
  readonly limitMs?: number;
}

/** The modules cannot be downloaded or the machine is too slow; the program itself is not at fault. */
export class CannotBuild extends Error {}

/**
 * Builds a Go program of one file with published modules, outside the project, unless another process is building it:
 * then it waits for that process. The program appears at `target` atomically. Throws an error with the output of Go.
 */
export function buildGoProgram(program: GoProgram): void {
  const { target } = program;
  const lock = `${target}.builder`;
  mkdirSync(dirname(target), { recursive: true });
  let outcome = takeLock(lock);
  while (outcome.kind === 'held') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    if (existsSync(target)) return;
    outcome = takeLock(lock);
  }
  try {
    build(program);
  } finally {
    outcome.release();
  }
}

function build({ name, main, modules, target, limitMs, published = '.' }: GoProgram): void {
  inGoModule(name, { 'main.go': main }, (go) => {
    go(['mod', 'init', `tidegate/${name}`], limitMs);
    go(['get', ...modules], limitMs);
    const fresh = `${target}.${process.pid}`;
    go(['build', '-trimpath', '-ldflags', '-s -w', '-o', fresh, published], limitMs);
    renameSync(fresh, target);
  });
}

/** Runs go with these arguments. Throws an error with its output. */
export type RunGo = (args: readonly string[], limitMs?: number) => void;

/** Creates a temporary Go module outside the project for the duration of `use`. */
export function inGoModule(name: string, files: Readonly<Record<string, string>>, use: (go: RunGo) => void): void {
  const dir = mkdtempSync(join(tmpdir(), `tidegate-${name}-`));
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text);
    use((args, limitMs) => {
      const { status, error, stderr } = spawnSync('go', args, {
        cwd: dir,
        env,
        encoding: 'utf8',
        timeout: limitMs,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const isOurs = args[0] === 'build' && error === undefined;
      const reason = `go ${args[0]} failed: ${error?.message ?? stderr}`;
      if (status !== 0) throw isOurs ? new Error(reason) : new CannotBuild(reason);
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

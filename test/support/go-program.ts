import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface GoProgram {
  readonly name: string;
  /** its main.go */
  readonly main: string;
  /** with their versions; what they need themselves comes along */
  readonly modules: readonly string[];
  readonly target: string;
  /** what is built, where it is not the file but a program of one of the modules */
  readonly published?: string;
  /** a build that takes longer is given up, and goes on where it was when it is asked for again */
  readonly limitMs?: number;
}

/** Nothing is wrong with the program: modules cannot be had, or the machine is too busy. */
export class CannotBuild extends Error {}

/**
 * Builds a Go program of one file, from published modules, outside the project. It is at its place when it is whole, also
 * for other processes that look for it. Throws with what Go said.
 */
export function buildGoProgram({ name, main, modules, target, limitMs, published = '.' }: GoProgram): void {
  inGoModule(name, { 'main.go': main }, (go) => {
    go(['mod', 'init', `tidegate/${name}`], limitMs);
    go(['get', ...modules], limitMs);
    const fresh = `${target}.${process.pid}`;
    go(['build', '-trimpath', '-ldflags', '-s -w', '-o', fresh, published], limitMs);
    renameSync(fresh, target);
  });
}

/** Runs go with these arguments. Throws with what Go said. */
export type RunGo = (args: readonly string[], limitMs?: number) => void;

/** A Go module outside the project that is there for as long as `use` takes. */
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
      const words = `go ${args[0]} failed: ${error?.message ?? stderr}`;
      if (status !== 0) throw isOurs ? new Error(words) : new CannotBuild(words);
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

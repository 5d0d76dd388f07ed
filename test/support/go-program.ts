import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** Builds a Go program of one file, from published modules, outside the project. Throws with what Go said. */
export function buildGoProgram({ name, main, modules, target, limitMs, published = '.' }: GoProgram): void {
  const dir = mkdtempSync(join(tmpdir(), `tidegate-${name}-`));
  try {
    writeFileSync(join(dir, 'main.go'), main);
    const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
    const steps = [
      ['mod', 'init', `tidegate/${name}`],
      ['get', ...modules],
      ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, published],
    ];
    mkdirSync(join(target, '..'), { recursive: true });
    for (const step of steps) {
      const { status, error, stderr } = spawnSync('go', step, { cwd: dir, env, encoding: 'utf8', timeout: limitMs });
      const isOurs = step[0] === 'build' && error === undefined;
      const words = `go ${step[0]} failed: ${error?.message ?? stderr}`;
      if (status !== 0) throw isOurs ? new Error(words) : new CannotBuild(words);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

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
}

/** Builds a Go program of one file, from published modules, outside the project. Throws with what Go said. */
export function buildGoProgram({ name, main, modules, target }: GoProgram): void {
  const dir = mkdtempSync(join(tmpdir(), `tidegate-${name}-`));
  try {
    writeFileSync(join(dir, 'main.go'), main);
    const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
    const steps = [
      ['mod', 'init', `tidegate/${name}`],
      ['get', ...modules],
      ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, '.'],
    ];
    mkdirSync(join(target, '..'), { recursive: true });
    for (const step of steps) {
      const { status, error, stderr } = spawnSync('go', step, { cwd: dir, env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`go ${step[0]} failed\n${error?.message ?? stderr}`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

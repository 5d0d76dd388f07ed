import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of a published Go module, `name@version`; downloads it if necessary. */
export function goModule(module: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-module-'));
  try {
    writeFileSync(join(dir, 'go.mod'), 'module tidegate/modules\n');
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
    const { stdout, stderr } = spawnSync('go', ['mod', 'download', '-json', module], {
      cwd: dir,
      env,
      encoding: 'utf8',
    });
    const { Dir, Error: problem } = JSON.parse(stdout || '{}') as { Dir?: string; Error?: string };
    if (Dir === undefined) throw new Error(`${module} cannot be downloaded: ${problem ?? stderr}`);
    return Dir;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { buildGoProgram } from './go-program.ts';

/** A Go program of test/clients, with the modules that it is built from. */
export interface ClientProgram {
  readonly name: string;
  readonly modules: readonly string[];
}

/** undefined where it can be had: there is one in the cache, or Go to build it. */
export function whyNoProgram(program: ClientProgram): string | undefined {
  if (existsSync(cached(program)) || spawnSync('go', ['version']).status === 0) return undefined;
  return `needs Go 1.25 or newer, to build ${program.name}`;
}

/** The program, built when it is not in the project's cache yet. */
export function programAt(program: ClientProgram): string {
  const target = cached(program);
  if (!existsSync(target)) buildGoProgram({ ...program, main: readFileSync(source(program), 'utf8'), target });
  return target;
}

function source({ name }: ClientProgram): string {
  return join(projectRoot, 'test', 'clients', name, 'main.go');
}

/** Another source, or other modules, are another program. */
function cached(program: ClientProgram): string {
  const hash = createHash('sha256')
    .update(readFileSync(source(program)))
    .update(program.modules.join());
  const cache = process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache');
  return join(cache, `${program.name}-${hash.digest('hex').slice(0, 12)}`, program.name);
}

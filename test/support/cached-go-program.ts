import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';
import { buildGoProgram, CannotBuild } from './go-program.ts';

/** A Go program of test/clients, with its modules. */
export interface ClientProgram {
  readonly name: string;
  readonly modules: readonly string[];
}

const BUILD_LIMIT_MS = 90_000;

/** Builds the program unless it is cached. Returns why it is not available, or undefined if it is. */
export function whyNoProgram(program: ClientProgram): string | undefined {
  const target = programPath(program);
  if (existsSync(target)) return undefined;
  if (spawnSync('go', ['version']).status !== 0) return needs('go');
  try {
    buildGoProgram({ ...program, main: readFileSync(source(program), 'utf8'), target, limitMs: BUILD_LIMIT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return `${program.name} cannot be built now: ${error.message}`;
  }
}

/** The path of the built program. It depends on a hash of its source and modules. */
export function programPath(program: ClientProgram): string {
  const hash = createHash('sha256')
    .update(readFileSync(source(program)))
    .update(program.modules.join());
  const cache = process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache');
  return join(cache, `${program.name}-${hash.digest('hex').slice(0, 12)}`, program.name);
}

function source({ name }: ClientProgram): string {
  return join(projectRoot, 'test', 'clients', name, 'main.go');
}

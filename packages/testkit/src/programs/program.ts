import { join } from 'node:path';
import { PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { prepared } from '../prepared.ts';
import { bundle, type Program } from './bundle.ts';
import { sourcesKey } from './sources-key.ts';

/**
 * The file to run for a program. It is one that holds all its modules: to find and read a thousand of them takes twice as
 * long as everything else that a part does at its start. Coverage is measured of the sources themselves.
 */
export async function programFile(name: Program): Promise<string> {
  if (process.env.NODE_V8_COVERAGE !== undefined) return join(projectRoot, PROGRAM_SOURCES[name]);
  const directory = await prepared({ name: 'programs', key: sourcesKey(), make: bundle });
  return join(directory, `${name}.mjs`);
}

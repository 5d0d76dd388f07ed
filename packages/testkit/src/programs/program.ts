import { join } from 'node:path';
import { PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { prepared } from '../prepared.ts';
import { bundle, type Program } from './bundle.ts';
import { sourcesKey } from './sources-key.ts';

/**
 * The file to run for a program: a bundle, because loading a thousand modules takes twice as long as everything else
 * that a part does at its start. Coverage is measured on the sources.
 */
export async function programFile(name: Program): Promise<string> {
  if (process.env.NODE_V8_COVERAGE !== undefined) return join(projectRoot, PROGRAM_SOURCES[name]);
  const directory = await prepared({ name: 'programs', key: sourcesKey(), make: bundle });
  return join(directory, `${name}.mjs`);
}

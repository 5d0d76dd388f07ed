import { createHash } from 'node:crypto';
import { globSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirAt, projectRoot } from '@tidegate/local';
import { copyPrepared } from '@tidegate/testkit';

const SOURCES = ['{packages,services}/*/src/**/*', 'package-lock.json'];

/**
 * Fills the data directory of a system that has been started and has made its first objects: what each start would make
 * again, its database, certificates and first objects, takes longer than most tests. It is made again when any source of
 * the project has changed.
 */
export async function prepareSystem(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await copyPrepared({ name: 'system', key: fingerprint(), make: (fresh) => makeClean(fresh, make) }, dir);
}

/** The bus and the logs are of one run. */
async function makeClean(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await make(dir);
  const { nats, logs } = dataDirAt(dir);
  for (const place of [nats, logs]) rmSync(place, { recursive: true, force: true });
}

let known: string | undefined;

function fingerprint(): string {
  known ??= readFingerprint();
  return known;
}

function readFingerprint(): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of globSync(SOURCES, { cwd: projectRoot }).sort()) {
    const { size, mtimeMs } = statSync(join(projectRoot, path));
    if (!path.endsWith('.test.ts')) hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

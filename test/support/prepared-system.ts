import { rmSync } from 'node:fs';
import { dataDirAt } from '@tidegate/local';
import { copyPrepared, sourcesKey } from '@tidegate/testkit';

/**
 * Fills the data directory of a system that has been started and has made its first objects: what each start would make
 * again, its database, certificates and first objects, takes longer than most tests. It is made again when any source of
 * the project has changed.
 */
export async function prepareSystem(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await copyPrepared({ name: 'system', key: sourcesKey(), make: (fresh) => makeClean(fresh, make) }, dir);
}

/** The bus and the logs are of one run. */
async function makeClean(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await make(dir);
  const { nats, logs } = dataDirAt(dir);
  for (const place of [nats, logs]) rmSync(place, { recursive: true, force: true });
}

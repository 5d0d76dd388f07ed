import { rmSync } from 'node:fs';
import { dataDirAt } from '@tidegate/local';
import { copyPrepared, sourcesKey } from '@tidegate/testkit';

/**
 * Fills a data directory with the database, certificates and first objects of a started system, because creating them
 * takes longer than most tests. The prepared directory is created again when a source of the project has changed.
 */
export async function prepareSystem(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await copyPrepared({ name: 'system', key: sourcesKey(), make: (fresh) => makeWithoutLogs(fresh, make) }, dir);
}

/** Removes the data of NATS and the logs, which belong to one run. */
async function makeWithoutLogs(dir: string, make: (dir: string) => Promise<unknown>): Promise<void> {
  await make(dir);
  const { nats, logs } = dataDirAt(dir);
  for (const place of [nats, logs]) rmSync(place, { recursive: true, force: true });
}

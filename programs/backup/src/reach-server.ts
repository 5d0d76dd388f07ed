import { checkServer, Pool, waitForServer } from '@tidegate/database';

const LIMIT_MS = 30_000;

/** Waits for a server that may just have been started, refuses one that is too old, and does what is to be done first. */
export async function reachServer(url: string, first: (pool: Pool) => Promise<void> = async () => {}): Promise<void> {
  const pool = new Pool({ url, name: 'backup', connections: 1, prepare: false, onState: () => {} });
  try {
    await waitForServer(pool, LIMIT_MS);
    // whether it may forget what it has acknowledged is the store's question, not a copy's
    await checkServer(pool, true);
    await first(pool);
  } finally {
    await pool.close();
  }
}

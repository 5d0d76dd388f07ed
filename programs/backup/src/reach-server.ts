import { checkServer, Pool, waitForServer } from '@tidegate/database';

const LIMIT_MS = 30_000;

/** Waits for a server that may be starting, rejects one that is too old, and runs `first`. */
export async function reachServer(url: string, first: (pool: Pool) => Promise<void> = async () => {}): Promise<void> {
  const pool = new Pool({ url, name: 'backup', connections: 1, prepare: false, onState: () => {} });
  try {
    await waitForServer(pool, LIMIT_MS);
    // unsafe settings of the server are an error for the store, and not for a backup
    await checkServer(pool, true);
    await first(pool);
  } finally {
    await pool.close();
  }
}

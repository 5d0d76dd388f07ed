import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafe(10 * 512);
let used = pool.length;

/** 16 bytes: the time in milliseconds, then 80 random bits. Time first, so that the log's index grows at its edge. */
export function operationId(now = Date.now()): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = Buffer.allocUnsafe(16);
  id.writeUIntBE(now, 0, 6);
  pool.copy(id, 6, used, used + 10);
  used += 10;
  return id;
}

import type { Pool } from '@tidegate/database';
import type { CollectionDigest, DigestResponse } from '@tidegate/wire';

// one statement, so one snapshot: the digests are those of exactly this revision
const DIGESTS = `SELECT h.revision, h.epoch, o.resource, o.count, o.low_sum, o.high_sum, o.low_xor, o.high_xor
  FROM tidegate.head h LEFT JOIN (
    SELECT resource, count(*) AS count,
      sum(mark & 67108863)::bigint AS low_sum, sum(mark >> 26)::bigint AS high_sum,
      bit_xor(mark & 67108863) AS low_xor, bit_xor(mark >> 26) AS high_xor
    FROM (
      SELECT resource, ('x' || left(md5(namespace || '/' || name || '@' || revision), 13))::bit(52)::bigint AS mark
      FROM tidegate.objects
    ) m GROUP BY resource
  ) o ON true`;

const DIGEST_MS = 60_000;

/** Reads a digest of every collection. */
export async function readDigests(pool: Pool): Promise<DigestResponse> {
  const rows = await pool.query(DIGESTS, [], DIGEST_MS);
  const [revision, epoch] = rows[0] as unknown as [number, number];
  const digests = rows
    .filter((row) => row[2] !== null)
    .map((row): CollectionDigest => {
      const [, , resource, count, lowSum, highSum, lowXor, highXor] = row as unknown as [
        number,
        number,
        string,
        number,
        number,
        number,
        number,
        number,
      ];
      return { resource, count, lowSum, highSum, lowXor, highXor };
    });
  return { revision, epoch, digests };
}

import { promisify } from 'node:util';
import { constants, gzip as gzipOffLoop, gzipSync } from 'node:zlib';

const OPTIONS = { level: constants.Z_BEST_SPEED };
/** Up to here the work takes less than handing it to another thread does. */
const AT_ONCE_BYTES = 8 << 10;

const later = promisify(gzipOffLoop) as (body: Buffer, options: typeof OPTIONS) => Promise<Buffer>;

/** A body as gzip: what is tiny at once, what is larger off the main loop. */
export function gzip(body: Buffer): Buffer | Promise<Buffer> {
  return body.length <= AT_ONCE_BYTES ? gzipSync(body, OPTIONS) : later(body, OPTIONS);
}

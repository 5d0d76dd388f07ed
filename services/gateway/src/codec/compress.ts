import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  constants,
  createGzip,
  createZstdCompress,
  gzip as gzipOffLoop,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { CodingName } from '../request/answer-form.ts';

interface Coding {
  now(body: Buffer): Buffer;
  later(body: Buffer): Promise<Buffer>;
  stream(): Transform;
}

const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED };
const ZSTD_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const gzipLater = promisify(gzipOffLoop) as (body: Buffer, options: typeof GZIP_OPTIONS) => Promise<Buffer>;
const zstdLater = promisify(zstdCompress) as (body: Buffer, options: typeof ZSTD_OPTIONS) => Promise<Buffer>;

const CODINGS: Readonly<Record<CodingName, Coding>> = {
  gzip: {
    now: (body) => gzipSync(body, GZIP_OPTIONS),
    later: (body) => gzipLater(body, GZIP_OPTIONS),
    stream: () => createGzip(GZIP_OPTIONS),
  },
  zstd: {
    now: (body) => zstdCompressSync(body, ZSTD_OPTIONS),
    later: (body) => zstdLater(body, ZSTD_OPTIONS),
    stream: () => createZstdCompress(ZSTD_OPTIONS),
  },
};

/** Up to here the work takes less than handing it to another thread does. */
const AT_ONCE_BYTES = 8 << 10;

/** A body in a coding: what is tiny at once, what is larger off the main loop. */
export function compress(name: CodingName, body: Buffer): Buffer | Promise<Buffer> {
  return body.length <= AT_ONCE_BYTES ? CODINGS[name].now(body) : CODINGS[name].later(body);
}

/** The same for a body that is written piece by piece. */
export function compressor(name: CodingName): Transform {
  return CODINGS[name].stream();
}

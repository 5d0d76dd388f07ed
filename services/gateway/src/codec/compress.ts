import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  constants,
  createGzip,
  createZstdCompress,
  gzip as gzipCallback,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { CodingName } from '../request/answer-form.ts';

interface Coding {
  sync(body: Buffer): Buffer;
  async(body: Buffer): Promise<Buffer>;
  stream(): Transform;
}

const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED };
const ZSTD_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const gzipAsync = promisify(gzipCallback) as (body: Buffer, options: typeof GZIP_OPTIONS) => Promise<Buffer>;
const zstdAsync = promisify(zstdCompress) as (body: Buffer, options: typeof ZSTD_OPTIONS) => Promise<Buffer>;

const CODINGS: Readonly<Record<CodingName, Coding>> = {
  gzip: {
    sync: (body) => gzipSync(body, GZIP_OPTIONS),
    async: (body) => gzipAsync(body, GZIP_OPTIONS),
    stream: () => createGzip(GZIP_OPTIONS),
  },
  zstd: {
    sync: (body) => zstdCompressSync(body, ZSTD_OPTIONS),
    async: (body) => zstdAsync(body, ZSTD_OPTIONS),
    stream: () => createZstdCompress(ZSTD_OPTIONS),
  },
};

/** Up to this size, compressing takes less time than passing the body to another thread. */
const SYNC_MAX_BYTES = 8 << 10;

/** Compresses a body: small bodies synchronously, larger ones off the event loop. */
export function compress(name: CodingName, body: Buffer): Buffer | Promise<Buffer> {
  return body.length <= SYNC_MAX_BYTES ? CODINGS[name].sync(body) : CODINGS[name].async(body);
}

/** A compressing stream, for a body that is written in pieces. */
export function compressor(name: CodingName): Transform {
  return CODINGS[name].stream();
}

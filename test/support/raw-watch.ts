import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { RunningSystem } from './running-system.ts';

interface RawWatch {
  readonly path: string;
  readonly accept: string;
  /** the expected Content-Type of the stream */
  readonly stream: string;
  /** runs when the watch has started */
  readonly onStart?: () => Promise<void>;
}

/** Reads all bytes of a watch until its timeout. */
export function rawWatch({ tidegate }: RunningSystem, { path, accept, stream, onStart }: RawWatch): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${tidegate.token}`, Accept: accept };
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, tidegate.server), { headers, ca: readFileSync(tidegate.caFile) }, (response) => {
      assert.equal(response.headers['content-type'], stream);
      onStart?.().catch(reject);
      response.toArray().then((parts) => resolve(Buffer.concat(parts as Buffer[])), reject);
    });
    call.on('error', reject);
    call.end();
  });
}

import { crc32 } from 'node:zlib';
import { ApiError } from '@tidegate/status';
import type { Key, StoredObject } from '@tidegate/wire';

const NOTHING = Buffer.alloc(0);

/** The columns of a state, as every query of the store names them. */
export interface StateColumns {
  key: Key;
  revision: number;
  uid: string;
  deleting: boolean;
  splice: number;
  selection: Buffer | null;
  value: Buffer;
  /** absent for states in the log */
  checksum?: number;
}

/** A state whose bytes are what was written; anything else is a corrupt object and never handed on. */
export function storedObject(columns: StateColumns): StoredObject {
  const { key, revision, uid, deleting, splice, selection, value, checksum } = columns;
  if (checksum !== undefined && (crc32(value) | 0) !== checksum) throw corrupt(key);
  return { key, revision, value, splice, selection: selection ?? NOTHING, uid, deleting };
}

function corrupt(key: Key): ApiError {
  const path = [key.resource, key.namespace, key.name].filter((part) => part !== '').join('/');
  return new ApiError('StorageReadError', `the stored object ${path} is corrupt: its checksum is wrong`);
}

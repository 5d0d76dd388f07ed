import type { Key } from '@tidegate/wire';

const VERSION = 1;
const HEAD = 9;

export interface Content {
  readonly value: Buffer;
  readonly selection: Buffer;
}

/**
 * The plaintext of an encrypted object: its value, its selection, which reveals parts of the value, and its key. The key
 * prevents an attacker who can write to the database from giving one object the content of another.
 *
 *   version (1 byte), length of the key (4), length of the selection (4), key, selection, value
 */
export function pack(key: Key, content: { value: Uint8Array; selection: Uint8Array }): Buffer {
  const path = pathOf(key);
  const head = Buffer.allocUnsafe(HEAD);
  head[0] = VERSION;
  head.writeUInt32BE(path.length, 1);
  head.writeUInt32BE(content.selection.length, 5);
  return Buffer.concat([head, path, content.selection, content.value]);
}

export function unpack(key: Key, bytes: Buffer): Content {
  if (bytes.length < HEAD || bytes[0] !== VERSION) throw new Error('its envelope version is unknown');
  const path = pathOf(key);
  const selectionAt = HEAD + bytes.readUInt32BE(1);
  const valueAt = selectionAt + bytes.readUInt32BE(5);
  if (valueAt > bytes.length) throw new Error('it is incomplete');
  if (!bytes.subarray(HEAD, selectionAt).equals(path)) throw new Error('it belongs to another object');
  return { selection: bytes.subarray(selectionAt, valueAt), value: bytes.subarray(valueAt) };
}

function pathOf({ resource, namespace, name }: Key): Buffer {
  return Buffer.from(`${resource}\0${namespace}\0${name}`);
}

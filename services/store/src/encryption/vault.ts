import { crc32 } from 'node:zlib';
import type { Key, StoredObject } from '@tidegate/wire';
import { type Choices, EncryptionConfiguration } from './configuration.ts';
import { type Content, pack, unpack } from './envelope.ts';
import type { Provider } from './providers.ts';

/** A state as PostgreSQL holds it. */
export interface StoredState {
  readonly revision: number;
  readonly uid: string;
  readonly deleting: boolean;
  readonly splice: number;
  /** null in old rows of the log, from before the log had checksums */
  readonly checksum: number | null;
  readonly selection: Buffer | null;
  readonly value: Buffer;
}

/** A value in its stored form. */
export interface Sealed {
  readonly value: Uint8Array;
  readonly selection: Uint8Array;
  readonly checksum: number;
}

const NOTHING = Buffer.alloc(0);
const START = 'k8s:enc:';
const FIRST_BYTE = START.charCodeAt(0);

/**
 * Seals every value that is written to PostgreSQL, and opens and checks every value that is read.
 *
 * Invariant: an opened value is the value that was sealed for this key, or the object is marked as corrupt. Of an
 * encrypted resource, PostgreSQL has only name, uid and revisions in plain text.
 */
export class Vault {
  #configuration: EncryptionConfiguration;

  constructor(configuration = new EncryptionConfiguration()) {
    this.#configuration = configuration;
  }

  use(configuration: EncryptionConfiguration): void {
    this.#configuration = configuration;
  }

  /** Whether new objects of this resource are encrypted; such objects must not be published in plain text. */
  isSecret(resource: string): boolean {
    return writer(this.#configuration.choicesFor(resource)) !== undefined;
  }

  seal(key: Key, content: { value: Uint8Array; selection: Uint8Array }): Sealed {
    const provider = writer(this.#configuration.choicesFor(key.resource));
    if (provider === undefined) return { ...content, checksum: crc32(content.value) | 0 };
    const value = provider.seal(pack(key, content));
    return { value, selection: NOTHING, checksum: crc32(value) | 0 };
  }

  /** Returns the object; where its value cannot be read, without it and marked as corrupt. */
  open(key: Key, state: StoredState): StoredObject {
    const { value } = state;
    if (state.checksum !== null && (crc32(value) | 0) !== state.checksum) {
      return corruptObject(key, state, 'its checksum is wrong');
    }
    const choices = this.#configuration.choicesFor(key.resource);
    if (value[0] !== FIRST_BYTE && (choices === undefined || choices.includes('identity'))) {
      if (value[0] !== OPENING_BRACE || value.at(-1) !== CLOSING_BRACE) {
        return corruptObject(key, state, 'it is not an object in JSON');
      }
      const content = { value, selection: state.selection ?? NOTHING };
      return readableObject(key, state, content, writer(choices) !== undefined);
    }
    try {
      const provider = readerOf(choices, value);
      return readableObject(key, state, unpack(key, provider.open(value)), provider !== choices?.[0]);
    } catch (error) {
      return corruptObject(key, state, `it cannot be decrypted: ${(error as Error).message}`);
    }
  }
}

function readableObject(key: Key, state: StoredState, content: Content, stale: boolean): StoredObject {
  const { revision, uid, splice, deleting } = state;
  const { value, selection } = content;
  return { key, revision, value, splice, selection, uid, deleting, corrupt: '', stale };
}

function corruptObject(key: Key, state: StoredState, corrupt: string): StoredObject {
  return { ...readableObject(key, state, { value: NOTHING, selection: NOTHING }, false), corrupt };
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

function writer(choices: Choices | undefined): Provider | undefined {
  const first = choices?.[0];
  return first === 'identity' ? undefined : first;
}

function readerOf(choices: Choices | undefined, value: Buffer): Provider {
  for (const choice of choices ?? []) {
    if (choice !== 'identity' && textAt(value, choice.prefix.length) === choice.prefix) return choice;
  }
  if (textAt(value, START.length) !== START) {
    throw new Error('it is not encrypted, and the configuration names no identity provider for its resource');
  }
  const [, , kind = '', , keyName = ''] = textAt(value, 512).split(':');
  throw new Error(`the configuration has no ${kind} key ${JSON.stringify(keyName)} for its resource`);
}

function textAt(value: Buffer, length: number): string {
  return value.toString('latin1', 0, length);
}

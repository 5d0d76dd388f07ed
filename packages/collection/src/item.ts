import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import type { Position } from './key-order.ts';

export interface ItemParts {
  namespace: string;
  name: string;
  revision: Revision;
  uid: string;
  /** JSON without a resourceVersion */
  value: Uint8Array;
  /** where the resourceVersion belongs */
  splice: number;
  /** JSON of labels and selectable fields, may be empty */
  selection: Uint8Array;
  deleting: boolean;
}

/** A stored object or a change as the parts send it to each other. */
interface StateMessage {
  key: Position;
  revision: number;
  uid: string;
  value: Uint8Array;
  splice: number;
  selection: Uint8Array;
  deleting: boolean;
}

/** Field by field: a decoded message has its absent fields in its prototype, where a spread does not find them. */
export function itemParts(message: StateMessage): ItemParts {
  return {
    namespace: message.key.namespace,
    name: message.key.name,
    revision: toRevision(message.revision),
    uid: message.uid,
    value: message.value,
    splice: message.splice,
    selection: message.selection,
    deleting: message.deleting,
  };
}

interface Selection {
  labels: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, string>>;
}

const NOTHING: Selection = { labels: {}, fields: {} };
const NO_BYTES = new Uint8Array(0);

/**
 * One state of one object, immutable, with its bytes ready to be sent.
 *
 * For example value `{"metadata":{"uid":"u"},"data":{}}` with splice 23 and revision 7 has the bytes
 * `{"metadata":{"uid":"u","resourceVersion":"7"},"data":{}}`.
 */
export class Item implements Position {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly uid: string;
  readonly deleting: boolean;
  /** the object as clients get it */
  readonly json: Buffer;
  readonly #splice: number;
  /** a text until somebody selects: bytes would keep the whole message alive that they came in */
  #selection: string | Selection;
  #parsed: unknown;

  constructor(parts: ItemParts) {
    this.namespace = parts.namespace;
    this.name = parts.name;
    this.revision = parts.revision;
    this.uid = parts.uid;
    this.deleting = parts.deleting;
    this.#splice = parts.splice;
    this.#selection = parts.selection.length === 0 ? NOTHING : textOf(parts.selection);
    this.json = spliced(parts.value, parts.splice, parts.revision);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#selectionParsed().labels;
  }

  /** a selectable field; absent ones read as the empty string */
  field(name: string): string {
    if (name === 'metadata.name') return this.name;
    if (name === 'metadata.namespace') return this.namespace;
    const { fields } = this.#selectionParsed();
    return Object.hasOwn(fields, name) ? (fields[name] as string) : '';
  }

  /** The object as data, parsed once. Callers must not change it. */
  get object(): unknown {
    this.#parsed ??= JSON.parse(this.json.toString('utf8'));
    return this.#parsed;
  }

  /** The same state under another revision: the last state of an object at the revision of its deletion. */
  jsonAt(revision: Revision): Buffer {
    const { value, splice } = this.stored();
    return spliced(value, splice, revision);
  }

  /** The stored form again, to be sent to another part. */
  stored(): { value: Buffer; splice: number; selection: Uint8Array } {
    const end = this.#splice + insertion(this.revision).length;
    return {
      value: Buffer.concat([this.json.subarray(0, this.#splice), this.json.subarray(end)]),
      splice: this.#splice,
      selection: this.#selectionBytes(),
    };
  }

  #selectionBytes(): Uint8Array {
    if (this.#selection === NOTHING) return NO_BYTES;
    return Buffer.from(typeof this.#selection === 'string' ? this.#selection : JSON.stringify(this.#selection));
  }

  #selectionParsed(): Selection {
    if (typeof this.#selection === 'string') {
      const read = JSON.parse(this.#selection) as Partial<Selection>;
      this.#selection = { labels: read.labels ?? {}, fields: read.fields ?? {} };
    }
    return this.#selection;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function insertion(revision: Revision): string {
  return `,"resourceVersion":"${revisionText(revision)}"`;
}

/** The stored bytes with their resourceVersion in its place. */
export function spliced(value: Uint8Array, splice: number, revision: Revision): Buffer {
  const text = insertion(revision);
  const bytes = Buffer.allocUnsafeSlow(value.length + text.length);
  bytes.set(value.subarray(0, splice), 0);
  bytes.write(text, splice, 'latin1');
  bytes.set(value.subarray(splice), splice + text.length);
  return bytes;
}

import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import type { Position } from './key-order.ts';
import { NO_HEAD, savedBytes, type TypeHead, typeHeadOf } from './type-head.ts';

/** A state without its bytes. */
export interface ItemHead {
  namespace: string;
  name: string;
  revision: Revision;
  uid: string;
  /** the offset at which the resourceVersion belongs */
  splice: number;
  /** JSON of labels and selectable fields, can be empty */
  selection: Uint8Array;
  deleting: boolean;
}

export interface ItemParts extends ItemHead {
  /** JSON without a resourceVersion */
  value: Uint8Array;
}

/** A stored object or a change, as services send it. */
interface StateMessage {
  key: Position;
  revision: number;
  uid: string;
  value: Uint8Array;
  splice: number;
  selection: Uint8Array;
  deleting: boolean;
}

/** Copies field by field: a decoded message has its absent fields in its prototype, and a spread would lose them. */
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

/** Where the bytes of an item are, and the head that a single object has before them. */
interface Place {
  readonly at?: number;
  readonly size?: number;
  readonly typeHead?: TypeHead;
}

const NOTHING: Selection = { labels: {}, fields: {} };
const NO_BYTES = new Uint8Array(0);

/**
 * One state of one object, immutable, with its bytes ready for a list.
 *
 * A list can name the kind of its items once. The bytes of its items are then without it, and a head that all items
 * share is put before them for readers of a single object.
 *
 * The bytes are the item's own, or a part of the segment that holds it: a segment of a hundred objects is then one
 * buffer that lists send unchanged. The bytes are always the same; only their place changes.
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
  /** the size of the bytes in a list */
  readonly size: number;
  readonly #splice: number;
  readonly #head: TypeHead;
  #bytes: Buffer;
  #at: number;
  /** a text until the first use: bytes would keep the whole message in memory that contained them */
  #selection: string | Selection;
  #parsed: unknown;

  /** bytes: the object as in a list, or the segment that holds it from `at` on */
  constructor(head: ItemHead, bytes: Buffer, { at = 0, size = bytes.length, typeHead = NO_HEAD }: Place = {}) {
    this.namespace = head.namespace;
    this.name = head.name;
    this.revision = head.revision;
    this.uid = head.uid;
    this.deleting = head.deleting;
    this.#splice = head.splice;
    this.#selection = head.selection.length === 0 ? NOTHING : textOf(head.selection);
    this.size = size;
    this.#head = typeHead;
    this.#bytes = bytes;
    this.#at = at;
  }

  /** the object as clients get it outside of a list */
  get json(): Buffer {
    const { length } = this.#head;
    if (length === 0) return this.listed;
    const bytes = Buffer.allocUnsafe(length + this.size - 1);
    bytes.set(this.#head);
    this.#bytes.copy(bytes, length, this.#at + 1, this.#at + this.size);
    return bytes;
  }

  /** the object as in a list */
  get listed(): Buffer {
    return this.#isAlone() ? this.#bytes : this.#bytes.subarray(this.#at, this.#at + this.size);
  }

  /** the offset of the resourceVersion in the object outside of a list */
  get splice(): number {
    return this.#splice;
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

  /** Moves the bytes into a segment. */
  moveTo(segment: Buffer, at: number): void {
    this.copyTo(segment, at);
    this.#bytes = segment;
    this.#at = at;
  }

  copyTo(target: Buffer, at: number): void {
    this.#bytes.copy(target, at, this.#at, this.#at + this.size);
  }

  /** Copies the bytes out of the segment: otherwise one item in the history would keep a hundred objects in memory. */
  leaveSegment(): void {
    if (this.#isAlone()) return;
    const own = Buffer.allocUnsafeSlow(this.size);
    this.moveTo(own, 0);
  }

  /** The same state under another revision: the last state of an object at the revision of its deletion. */
  jsonAt(revision: Revision): Buffer {
    const { value, splice } = this.stored();
    return spliced(value, splice, revision);
  }

  /** The stored form, for another service. */
  stored(): { value: Buffer; splice: number; selection: Uint8Array } {
    const end = this.#splice + insertion(this.revision).length;
    const { json } = this;
    return {
      value: Buffer.concat([json.subarray(0, this.#splice), json.subarray(end)]),
      splice: this.#splice,
      selection: this.selectionBytes(),
    };
  }

  selectionBytes(): Uint8Array {
    if (this.#selection === NOTHING) return NO_BYTES;
    return Buffer.from(typeof this.#selection === 'string' ? this.#selection : JSON.stringify(this.#selection));
  }

  #isAlone(): boolean {
    return this.#bytes.length === this.size;
  }

  #selectionParsed(): Selection {
    if (typeof this.#selection === 'string') {
      const read = JSON.parse(this.#selection) as Partial<Selection>;
      this.#selection = { labels: read.labels ?? {}, fields: read.fields ?? {} };
    }
    return this.#selection;
  }
}

/** A stored state as an item with its own bytes. typeless: the items of lists have no apiVersion and kind. */
export function itemOf(parts: ItemParts, typeless = false): Item {
  const typeHead = typeless ? typeHeadOf(parts.value) : NO_HEAD;
  if (typeHead.length === 0) return new Item(parts, spliced(parts.value, parts.splice, parts.revision));
  const saved = savedBytes(typeHead);
  const bytes = spliced(parts.value.subarray(saved), parts.splice - saved, parts.revision);
  bytes[0] = OPEN;
  return new Item(parts, bytes, { typeHead });
}

const OPEN = 0x7b;

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function insertion(revision: Revision): string {
  return `,"resourceVersion":"${revisionText(revision)}"`;
}

/** The stored bytes with the resourceVersion inserted. */
export function spliced(value: Uint8Array, splice: number, revision: Revision): Buffer {
  const bytes = Buffer.allocUnsafeSlow(splicedSize(value, revision));
  spliceInto(bytes, 0, { value, splice, revision });
  return bytes;
}

export function splicedSize(value: Uint8Array, revision: Revision): number {
  return value.length + insertion(revision).length;
}

/** Returns the end offset. */
export function spliceInto(
  target: Buffer,
  at: number,
  { value, splice, revision }: Pick<ItemParts, 'value' | 'splice' | 'revision'>,
): number {
  target.set(splice === value.length ? value : value.subarray(0, splice), at);
  const after = at + splice + target.write(insertion(revision), at + splice, 'latin1');
  target.set(value.subarray(splice), after);
  return after + value.length - splice;
}

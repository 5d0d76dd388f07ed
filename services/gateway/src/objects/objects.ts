import { itemOf, itemParts } from '@tidegate/collection';
import { isConverted, type Kind, metaOf, type Registry, storageOf } from '@tidegate/kinds';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { notFound, unreadable } from '@tidegate/status';
import type { Key, StoredObject } from '@tidegate/wire';
import type { StoreSession } from '../clients/store-session.ts';
import { parseStored, withResourceVersion } from '../codec/stored-form.ts';
import { type Conversions, hasVersion } from '../conversion/conversions.ts';
import type { Mirrors } from '../mirror/mirrors.ts';

/** The state of one object: current or slightly stale. */
export interface Current {
  readonly revision: number;
  readonly uid: string;
  /** the stored bytes, without the resourceVersion */
  readonly value: Uint8Array;
  readonly splice: number;
  /** it is stored in an outdated form, so that a write replaces it even when nothing changes */
  readonly stale: boolean;
  /** it was just read from the store, so that an outcome without a commit can be returned at once */
  readonly confirmed: boolean;
}

interface ObjectsPorts {
  readonly registry: Pick<Registry, 'find'>;
  readonly store: Pick<StoreSession, 'read'>;
  readonly mirrors: Pick<Mirrors, 'peek' | 'suspect'>;
  readonly conversions: Pick<Conversions, 'read'>;
}

/** Reads single objects: the current state from the store, or a slightly stale one from the mirror. */
export class Objects {
  readonly #ports: ObjectsPorts;

  constructor(ports: ObjectsPorts) {
    this.#ports = ports;
  }

  /** The object in the store; throws 404 if there is none. */
  async get(kind: Kind, namespace: string, name: string): Promise<Current> {
    const current = await this.find(kind, namespace, name);
    if (current === undefined) throw notFound(kind.entry, name);
    return current;
  }

  /** The object in the store, parsed; throws 404 if there is none. */
  async json(kind: Kind, namespace: string, name: string): Promise<JsonObject> {
    return parseCurrent(await this.get(kind, namespace, name));
  }

  /** An object of the core group in the store, parsed; throws 404 if there is none. */
  async core(resource: string, namespace: string, name: string): Promise<JsonObject> {
    const kind = this.#ports.registry.find('', 'v1', resource);
    if (kind === undefined) throw new Error(`there is no kind for ${resource}`);
    return this.json(kind, namespace, name);
  }

  /** An object of a built-in kind in the store, parsed. */
  async stored(key: Key): Promise<JsonObject | undefined> {
    const { found, object } = await this.#ports.store.read(key);
    return found && object !== null ? parseStored(object.value, object.revision) : undefined;
  }

  /** Whether the store has an object. */
  async exists(key: Key): Promise<'exists' | 'deleting' | 'absent'> {
    const { found, object } = await this.#ports.store.read(key);
    if (!found) return 'absent';
    return object?.deleting === true ? 'deleting' : 'exists';
  }

  /** A namespace, from the mirror if it is there, else from the store. */
  async namespace(name: string): Promise<JsonObject | undefined> {
    const key = { resource: 'namespaces', namespace: '', name };
    const item = this.#ports.mirrors.peek(key.resource)?.get('', name);
    return item === undefined ? this.stored(key) : parseOwnJson(item.json);
  }

  /** The labels of a namespace; undefined if it does not exist. */
  async namespaceLabels(name: string): Promise<Readonly<Record<string, string>> | undefined> {
    const mirrored = this.#ports.mirrors.peek('namespaces')?.get('', name)?.labels;
    if (mirrored !== undefined) return mirrored;
    const namespace = await this.namespace(name);
    return namespace === undefined ? undefined : (metaOf(namespace).labels ?? {});
  }

  /** The object in the store, if it exists. Throws if it cannot be read. */
  async find(kind: Kind, namespace: string, name: string): Promise<Current | undefined> {
    const key = keyOf(kind, namespace, name);
    const { found, object } = await this.#ports.store.read(key);
    if (!found || object === null) return undefined;
    if (object.corrupt !== '') {
      this.#ports.mirrors.suspect({ key, revision: object.revision });
      throw unreadable(kind.entry, [{ ...key, why: object.corrupt }]);
    }
    const { revision, uid, value, splice, stale } = object;
    if (isConverted(kind)) return this.#converted(kind, object);
    return { revision, uid, value, splice, stale, confirmed: true };
  }

  /** The object in the mirror; it may be slightly stale. undefined: read it from the store. */
  mirrored(kind: Kind, namespace: string, name: string): Current | undefined {
    // converting it would take as long as reading it from the store
    if (isConverted(kind)) return undefined;
    const key = keyOf(kind, namespace, name);
    const item = this.#ports.mirrors.peek(key.resource)?.get(key.namespace, name);
    if (item === undefined) return undefined;
    return { revision: item.revision, uid: item.uid, ...item.stored(), stale: false, confirmed: false };
  }

  /**
   * The object in the version of the request. If its stored version is not the current storage version, it is stale.
   */
  async #converted(kind: Kind, object: StoredObject): Promise<Current> {
    const stale = object.stale || !hasVersion(storageOf(kind), object.value);
    const [item] = await this.#ports.conversions.read(kind, [itemOf(itemParts(object))]);
    if (item === undefined) throw new Error('the conversion of one object returned none');
    const { revision, uid } = object;
    return { revision, uid, ...item.stored(), stale, confirmed: true };
  }
}

/** The key of an object in the store. */
export function keyOf(kind: Kind, namespace: string, name: string): Key {
  return { resource: kind.storedAs, namespace: kind.entry.namespaced ? namespace : '', name };
}

export function parseCurrent(current: Current): JsonObject {
  return parseStored(current.value, current.revision);
}

export function currentJson(current: Current): Buffer {
  return withResourceVersion(current, current.revision);
}

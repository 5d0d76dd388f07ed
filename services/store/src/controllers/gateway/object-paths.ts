import { type Kind, type Registry, storageOf } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';

/** Translates stored keys to the gateway's paths, and owner references to kinds. */
export class ObjectPaths {
  readonly #registry: Registry;
  #revision = -1;
  #byResource = new Map<string, Kind>();
  #byName = new Map<string, Kind>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** undefined where the resource is not served */
  of({ resource, namespace, name }: Key): string | undefined {
    const kind = this.kindAt(resource);
    return kind && `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
  }

  /** The kind as which the objects of a resource are stored. */
  kindAt(resource: string): Kind | undefined {
    this.#refresh();
    return this.#byResource.get(resource);
  }

  /** The kind that an owner reference names, in any version. */
  kindOf(apiVersion: string, kind: string): Kind | undefined {
    this.#refresh();
    return this.#byName.get(`${apiVersion} ${kind}`);
  }

  #refresh(): void {
    const { revision } = this.#registry;
    if (revision === this.#revision) return;
    const all = this.#registry.all();
    // the stored version, where it is served: requests for it need no conversion
    const stored = all.filter((kind) => storageOf(kind).apiVersion === kind.apiVersion);
    this.#byResource = new Map([...all, ...stored].map((kind) => [kind.storedAs, kind]));
    this.#byName = new Map(all.map((kind) => [`${kind.apiVersion} ${kind.entry.kind}`, kind]));
    this.#revision = revision;
  }
}

export function collectionPath({ entry, apiVersion }: Kind, namespace: string): string {
  const prefix = entry.group === '' ? '/api' : '/apis';
  const within = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${prefix}/${apiVersion}${within}/${entry.resource}`;
}

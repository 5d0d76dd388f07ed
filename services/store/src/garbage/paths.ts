import { type Kind, type Registry, storageOf } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';

/** From the store's names to the gateway's paths, and from what an owner reference says to the store's names. */
export class Paths {
  readonly #registry: Registry;
  #revision = -1;
  #byResource = new Map<string, Kind>();
  #byName = new Map<string, Kind>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** undefined: nobody serves it */
  of({ resource, namespace, name }: Key): string | undefined {
    const kind = this.kindAt(resource);
    return kind && `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
  }

  /** The kind as which the objects of a resource are stored. */
  kindAt(resource: string): Kind | undefined {
    this.#refresh();
    return this.#byResource.get(resource);
  }

  /** The kind that an owner reference means, in whichever version it names it. */
  kindOf(apiVersion: string, kind: string): Kind | undefined {
    this.#refresh();
    return this.#byName.get(`${apiVersion} ${kind}`);
  }

  #refresh(): void {
    const { revision } = this.#registry;
    if (revision === this.#revision) return;
    const all = this.#registry.all();
    // the version that is stored, where it is served: through it nothing needs to be converted
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

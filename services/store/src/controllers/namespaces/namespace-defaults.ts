import { isDeepStrictEqual } from 'node:util';
import type { Key } from '@tidegate/wire';
import type { Gateway, ObjectQueries } from '../port.ts';

/** An object that every namespace has, or only one namespace. */
export interface DefaultObject {
  /** only this namespace has it */
  readonly namespace?: string;
  readonly resource: string;
  readonly name: string;
  readonly kind: string;
  /** the fields that it must have besides its metadata; its other fields are not changed */
  readonly content: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const PARALLEL = 4;

interface NamespaceDefaultsOptions {
  readonly objects: Pick<ObjectQueries, 'activeNamespaces'>;
  readonly gateway: Gateway;
  readonly wanted: readonly DefaultObject[];
}

/**
 * Creates the default objects of every active namespace, and restores them after a change.
 *
 * Invariant: a namespace is done only when all its default objects were found correct or were written, or when it is
 * being deleted. The next pass retries the others.
 */
export class NamespaceDefaults {
  readonly #options: NamespaceDefaultsOptions;
  readonly #open = new Set<string>();
  #changed: Key[] = [];
  #all = false;

  constructor(options: NamespaceDefaultsOptions) {
    this.#options = options;
  }

  /** `changed`: the changed keys, or undefined where every object may have changed. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    if (this.#options.wanted.length === 0) return;
    // each change is passed in once: it is kept until it was processed
    if (changed === undefined) this.#all = true;
    else this.#changed.push(...changed);
    for (const name of await this.#touched(this.#all ? undefined : this.#changed)) this.#open.add(name);
    this.#all = false;
    this.#changed = [];
    const queue = [...this.#open].values();
    const work = async () => {
      for (const namespace of queue) await this.#complete(namespace);
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  }

  async #touched(changed: readonly Key[] | undefined): Promise<string[]> {
    const names = changed?.flatMap((key) => this.#namespaceOf(key));
    if (names?.length === 0) return [];
    return this.#options.objects.activeNamespaces(names && [...new Set(names)]);
  }

  #namespaceOf({ resource, namespace, name }: Key): string[] {
    if (resource === 'namespaces') return [name];
    return this.#options.wanted.some((one) => one.resource === resource && one.name === name) ? [namespace] : [];
  }

  async #complete(namespace: string): Promise<void> {
    let isDone = true;
    for (const wanted of this.#options.wanted) {
      const only = wanted.namespace;
      if (only === undefined || only === namespace) isDone = (await this.#write(namespace, wanted)) && isDone;
    }
    if (isDone) this.#open.delete(namespace);
  }

  /** Returns whether the object needs no further pass. */
  async #write(namespace: string, wanted: DefaultObject): Promise<boolean> {
    const { gateway } = this.#options;
    const { resource, name, kind, content, annotations } = wanted;
    const collection = `/api/v1/namespaces/${namespace}/${resource}`;
    const { code, body } = await gateway.send('GET', `${collection}/${name}`);
    if (code === 404) {
      const metadata = { name, namespace, ...(annotations && { annotations }) };
      const created = await gateway.send('POST', collection, { apiVersion: 'v1', kind, metadata, ...content });
      // forbidden or not found: the namespace is terminating or gone
      return [201, 403, 404].includes(created.code);
    }
    if (code !== 200) return false;
    if (Object.entries(content).every(([field, value]) => isDeepStrictEqual(body[field], value))) return true;
    const put = await gateway.send('PUT', `${collection}/${name}`, { ...body, ...content });
    return [200, 404].includes(put.code);
  }
}

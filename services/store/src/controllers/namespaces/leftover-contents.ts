import type { Registry } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import { collectionPath, ObjectPaths } from '../gateway/object-paths.ts';
import type { Gateway, ObjectQueries } from '../port.ts';

/** objects that their finalizers keep are examined again, but not in each pass */
const RETRY_MS = 5000;

interface LeftoverContentsOptions {
  objects: Pick<ObjectQueries, 'leftoverContents'>;
  gateway: Gateway;
  registry: Registry;
  now?: () => number;
}

/**
 * Deletes objects whose namespace no longer exists. A user can cause this: a namespace whose finalizers a user removes
 * is deleted with objects in it.
 *
 * Invariant: none of these objects belongs to a newer namespace of the same name, because a namespace is created only
 * where no objects of an earlier one are left.
 */
export class LeftoverContents {
  readonly #options: LeftoverContentsOptions;
  readonly #paths: ObjectPaths;
  readonly #now: () => number;
  /** by namespace: when it is examined again */
  readonly #open = new Map<string, number>();
  #all = false;

  constructor(options: LeftoverContentsOptions) {
    this.#options = options;
    this.#paths = new ObjectPaths(options.registry);
    this.#now = options.now ?? (() => performance.now());
  }

  /** `changed`: the changed keys, or undefined where every object may have changed. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined) this.#all = true;
    else for (const { resource, name } of changed) if (resource === 'namespaces') this.#open.set(name, 0);
    const now = this.#now();
    const due = [...this.#open].filter(([, at]) => at <= now).map(([name]) => name);
    if (!this.#all && due.length === 0) return;
    const contents = await this.#options.objects.leftoverContents(this.#all ? undefined : due);
    this.#all = false;
    for (const name of due) this.#open.delete(name);
    for (const { namespace, resource, untouched } of contents) {
      const isDeleted = untouched > 0 && (await this.#delete(resource, namespace));
      // after a deletion the next pass checks at once whether the objects are gone
      this.#open.set(namespace, isDeleted ? 0 : now + RETRY_MS);
    }
  }

  async #delete(resource: string, namespace: string): Promise<boolean> {
    const kind = this.#paths.kindAt(resource);
    if (kind === undefined) return false;
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const { code } = await this.#options.gateway.send('DELETE', collectionPath(kind, namespace), options);
    return code === 200;
  }
}

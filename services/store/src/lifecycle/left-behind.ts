import type { Registry } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import { collectionPath, Paths } from '../garbage/paths.ts';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

const LEFT = 'SELECT namespace, resource, untouched FROM tidegate.left_behind($1::text[])';
/** all objects are looked through */
const LOOK_LIMIT_MS = 60_000;
/** what its finalizers hold is looked at again, but not in each round */
const AGAIN_MS = 5000;

interface LeftBehindOptions {
  pool: Pool;
  gateway: GatewayClient;
  registry: Registry;
  now?: () => number;
}

/**
 * Deletes what is left of namespaces that are gone: a user may take the finalizers of a namespace away, and it goes with
 * objects in it.
 *
 * Invariant: nothing here belongs to a namespace of the same name that was made later: a namespace is made only where
 * nothing is left of an earlier one.
 */
export class LeftBehind {
  readonly #options: LeftBehindOptions;
  readonly #paths: Paths;
  readonly #now: () => number;
  /** by namespace: when what is left of it is looked at again */
  readonly #open = new Map<string, number>();
  #all = false;

  constructor(options: LeftBehindOptions) {
    this.#options = options;
    this.#paths = new Paths(options.registry);
    this.#now = options.now ?? (() => performance.now());
  }

  /** The changed keys, or undefined when all may have changed. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined) this.#all = true;
    else for (const { resource, name } of changed) if (resource === 'namespaces') this.#open.set(name, 0);
    const now = this.#now();
    const due = [...this.#open].filter(([, at]) => at <= now).map(([name]) => name);
    if (!this.#all && due.length === 0) return;
    const names = this.#all ? null : textArray(due);
    const rows = await this.#options.pool.query(LEFT, [names], LOOK_LIMIT_MS);
    this.#all = false;
    for (const name of due) this.#open.delete(name);
    for (const [namespace, resource, untouched] of rows as Array<[string, string, number]>) {
      const isDone = untouched > 0 && (await this.#delete(resource, namespace));
      // what was deleted now is looked for at once, since it may be gone
      this.#open.set(namespace, isDone ? 0 : now + AGAIN_MS);
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

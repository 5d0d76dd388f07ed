import type { Registry } from '@tidegate/kinds';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

/** What every cluster has from its beginning. */
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const FINALIZER = 'kubernetes';

const TERMINATING = `SELECT name FROM tidegate.objects WHERE resource = 'namespaces' AND deleting`;
const IS_EMPTY = 'SELECT NOT EXISTS (SELECT FROM tidegate.objects WHERE resource = $1 AND namespace = $2)';

interface NamespacesOptions {
  pool: Pool;
  gateway: GatewayClient;
  registry: Registry;
  /** whether terminating ones are emptied and let go */
  finalizes: boolean;
}

/**
 * The life of namespaces: those that must be there are made, and a terminating one is emptied and then let go.
 *
 * Invariant: every step can be done again. The last one, the removal of the finalizer, makes the gateway remove the
 * namespace under the guard that nothing is left in it; a namespace that was not empty after all stays, and is emptied
 * again in the next round.
 */
export class Namespaces {
  readonly #options: NamespacesOptions;
  #missing = new Set(SYSTEM_NAMESPACES);

  constructor(options: NamespacesOptions) {
    this.#options = options;
  }

  async round(): Promise<void> {
    for (const name of this.#missing) await this.#make(name);
    if (!this.#options.finalizes) return;
    const rows = await this.#options.pool.query(TERMINATING);
    for (const [name] of rows) await this.#finalize(String(name));
  }

  async #make(name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const { code } = await this.#options.gateway.send('POST', '/api/v1/namespaces', object);
    if (code === 201 || code === 409) this.#missing.delete(name);
  }

  async #finalize(name: string): Promise<void> {
    const { gateway } = this.#options;
    let empty = true;
    for (const kind of this.#options.registry.all()) {
      const { entry, apiVersion, storedAs } = kind;
      if (!entry.namespaced || kind.stored !== kind || (await this.#isEmpty(storedAs, name))) continue;
      const prefix = entry.group === '' ? '/api' : '/apis';
      await gateway.send('DELETE', `${prefix}/${apiVersion}/namespaces/${name}/${entry.resource}`);
      empty = (await this.#isEmpty(storedAs, name)) && empty;
    }
    if (!empty) return;
    const { code, body } = await gateway.send('GET', `/api/v1/namespaces/${name}`);
    if (code !== 200) return;
    const spec = (body.spec ?? {}) as { finalizers?: string[] };
    const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    await gateway.send('PUT', `/api/v1/namespaces/${name}/finalize`, { ...body, spec: { ...spec, finalizers } });
  }

  async #isEmpty(resource: string, namespace: string): Promise<boolean> {
    const [row] = await this.#options.pool.query(IS_EMPTY, [resource, namespace]);
    return row?.[0] === true;
  }
}

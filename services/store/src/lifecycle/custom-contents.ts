import { type Definition, hasCondition } from '@tidegate/kinds';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

const LEFT = `SELECT DISTINCT o.resource, o.namespace FROM tidegate.objects n
  JOIN tidegate.objects o ON o.namespace = n.name AND o.resource = ANY ($1::text[])
  WHERE n.resource = 'namespaces' AND n.deleting`;

interface CustomContentsOptions {
  pool: Pool;
  gateway: GatewayClient;
  definitions: { readonly known: readonly Definition[] };
}

/** Deletes the custom resources of namespaces that are terminating; they are let go only when nothing is left in them. */
export class CustomContents {
  readonly #options: CustomContentsOptions;

  constructor(options: CustomContentsOptions) {
    this.#options = options;
  }

  async round(): Promise<void> {
    const { pool, gateway, definitions } = this.#options;
    const served = definitions.known.filter((one) => one.namespaced && hasCondition(one, 'Established'));
    if (served.length === 0) return;
    const rows = await pool.query(LEFT, [textArray(served.map(({ name }) => name))]);
    for (const [resource, namespace] of rows) {
      const definition = served.find(({ name }) => name === resource);
      const version = definition?.versions.find((one) => one.served)?.name;
      if (definition === undefined || version === undefined) continue;
      const { group, acceptedNames } = definition;
      await gateway.send('DELETE', `/apis/${group}/${version}/namespaces/${String(namespace)}/${acceptedNames.plural}`);
    }
  }
}

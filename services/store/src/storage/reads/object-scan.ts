import type { Parameter, Transaction } from '@tidegate/database';
import type { Key, ListRequest, StoredObject } from '@tidegate/wire';
import type { Vault } from '../../encryption/vault.ts';
import { stateAt, stateColumns } from '../statements.ts';

const BYTES = 1 << 20;
const MAX_ROWS = 512;

/**
 * Reads the present objects of a range in key order, portion by portion. The number of rows of a portion follows the
 * size of the objects: many rows would make large objects slow, and few rows would make small objects slow.
 */
export class ObjectScan {
  readonly #run: Transaction;
  readonly #vault: Vault;
  readonly #request: ListRequest;
  readonly #unchangedSince: number | undefined;
  #rows = 64;

  /** `unchangedSince`: only objects that were not written after this revision */
  constructor(run: Transaction, vault: Vault, request: ListRequest, unchangedSince?: number) {
    this.#run = run;
    this.#vault = vault;
    this.#request = request;
    this.#unchangedSince = unchangedSince;
  }

  async *objects(): AsyncGenerator<StoredObject> {
    const { resource = '', afterNamespace = '', afterName = '', namespace = '' } = this.#request;
    let after: Key = { resource, namespace: afterNamespace, name: afterName };
    if (namespace !== '' && afterNamespace < namespace) after = { resource, namespace, name: '' };
    for (;;) {
      const limit = this.#rows;
      const rows = await this.#run(...this.#statement(after, limit));
      let bytes = 0;
      for (const row of rows) {
        const [resource, namespace, name] = row as unknown as [string, string, string];
        const state = stateAt(row, 3);
        bytes += state.value.length;
        after = { resource, namespace, name };
        yield this.#vault.open(after, state);
      }
      if (rows.length === 0 || (rows.length < limit && bytes < BYTES)) return;
      const average = bytes / rows.length + 1;
      this.#rows = Math.max(2, Math.min(MAX_ROWS, Math.ceil((1.2 * BYTES) / average)));
    }
  }

  #statement(after: Key, rows: number): [string, Parameter[]] {
    const { resource = '', namespace = '' } = this.#request;
    const parameters: Parameter[] = [after.namespace, after.name, rows, BYTES];
    let range = '(namespace, name) > ($1, $2)';
    if (resource === '') {
      parameters.push(after.resource);
      range = '(resource, namespace, name) > ($5, $1, $2)';
    } else {
      parameters.push(resource);
      range += ' AND resource = $5';
    }
    if (namespace !== '') {
      parameters.push(namespace);
      range += ` AND namespace = $${parameters.length}`;
    }
    if (this.#unchangedSince !== undefined) {
      parameters.push(this.#unchangedSince);
      range += ` AND revision <= $${parameters.length}::bigint`;
    }
    return [
      `SELECT resource, namespace, name, ${stateColumns} FROM (
         SELECT p.*, sum(octet_length(p.value)) OVER (
           ORDER BY p.resource, p.namespace, p.name ROWS UNBOUNDED PRECEDING) - octet_length(p.value) AS bytes_before
         FROM (
           SELECT * FROM tidegate.objects WHERE ${range} ORDER BY resource, namespace, name LIMIT $3::integer
         ) p
       ) q WHERE bytes_before < $4::bigint ORDER BY resource, namespace, name`,
      parameters,
    ];
  }
}

import type { Key, ListRequest, StoredObject } from '@tidegate/wire';
import type { Parameter, Row, Transaction } from './connection.ts';
import { storedObject } from './stored-object.ts';

const BYTES = 1 << 20;
const MOST_ROWS = 512;

/**
 * The present objects of a range in key order, fetched some at a time. The rows asked for follow the size of the
 * objects: fetching 500 to keep three of them would make large objects slow, fetching few would make small ones slow.
 */
export class ObjectScan {
  readonly #run: Transaction;
  readonly #request: ListRequest;
  #rows = 64;

  constructor(run: Transaction, request: ListRequest) {
    this.#run = run;
    this.#request = request;
  }

  async *objects(): AsyncGenerator<StoredObject> {
    const { resource = '', afterNamespace = '', afterName = '', namespace = '' } = this.#request;
    let after: Key = { resource, namespace: afterNamespace, name: afterName };
    if (namespace !== '' && afterNamespace < namespace) after = { resource, namespace, name: '' };
    for (;;) {
      const asked = this.#rows;
      const rows = await this.#run(...this.#statement(after, asked));
      let bytes = 0;
      for (const row of rows) {
        const object = objectOf(row);
        bytes += object.value.length;
        after = object.key;
        yield object;
      }
      if (rows.length === 0 || (rows.length < asked && bytes < BYTES)) return;
      const average = bytes / rows.length + 1;
      this.#rows = Math.max(2, Math.min(MOST_ROWS, Math.ceil((1.2 * BYTES) / average)));
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
      range += ' AND namespace = $6';
    }
    return [
      `SELECT resource, namespace, name, revision, uid, deleting, splice, checksum, selection, value FROM (
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

function objectOf(row: Row): StoredObject {
  const [resource, namespace, name, revision, uid, deleting, splice, checksum, selection, value] = row as readonly [
    string,
    string,
    string,
    number,
    string,
    boolean,
    number,
    number,
    Buffer | null,
    Buffer,
  ];
  const key = { resource, namespace, name };
  return storedObject({ key, revision, uid, deleting, splice, checksum, selection, value });
}

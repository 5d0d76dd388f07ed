import { numberArray, type Parameter, type Row, type Transaction } from '@tidegate/database';
import { internalError } from '@tidegate/status';
import type { Key, ListRequest, StoredObject } from '@tidegate/wire';
import type { Vault } from '../../encryption/vault.ts';
import { previousColumns, stateAt } from '../statements.ts';

/** A key that has changed since a revision, with its state at the revision, or none where it did not exist. */
export interface Correction {
  readonly key: Key;
  readonly object: StoredObject | undefined;
}

interface FirstChange {
  readonly key: Key;
  readonly revision: number;
  /** the state's revision, 0 when the key did not exist */
  readonly previousRevision: number;
  readonly bytes: number;
}

const KEYS = 512;
const BYTES = 1 << 20;

/**
 * Reads the keys of a range that have changed after a revision, in key order, each with its earlier state. A cursor
 * returns the keys, and values are read in portions of about a megabyte, so that memory does not grow with the changes.
 */
export async function* correctionsAfter(
  { run, vault }: { run: Transaction; vault: Vault },
  request: ListRequest,
  revision: number,
): AsyncGenerator<Correction, undefined> {
  await run(...declareCursor(request, revision));
  for (;;) {
    const rows = await run(`FETCH ${KEYS} FROM corrections`);
    const changes = rows.map(firstChangeOf);
    for (let at = 0; at < changes.length; ) {
      const portion = portionOf(changes, at);
      yield* await statesOf({ run, vault }, portion);
      at += portion.length;
    }
    if (changes.length < KEYS) return undefined;
  }
}

function declareCursor(request: ListRequest, revision: number): [string, Parameter[]] {
  const { resource = '', namespace = '', afterNamespace = '', afterName = '' } = request;
  // the statement of a cursor takes no parameters, so the values are quoted here
  const conditions = [`revision > ${revision}`];
  if (resource !== '') conditions.push(`resource = ${quote(resource)}`);
  if (namespace !== '') conditions.push(`namespace = ${quote(namespace)}`);
  if (afterNamespace !== '' || afterName !== '') {
    conditions.push(`(namespace, name) > (${quote(afterNamespace)}, ${quote(afterName)})`);
  }
  return [
    `DECLARE corrections NO SCROLL CURSOR FOR
     SELECT DISTINCT ON (resource, namespace, name)
       resource, namespace, name, revision, previous_revision, coalesce(octet_length(previous_value), 0)
     FROM tidegate.log WHERE ${conditions.join(' AND ')}
     ORDER BY resource, namespace, name, revision`,
    [],
  ];
}

function quote(text: string): string {
  return `E'${text.replace(/[\\']/g, '\\$&')}'`;
}

function firstChangeOf(row: Row): FirstChange {
  const [resource, namespace, name, revision, previousRevision, bytes] = row as readonly [
    string,
    string,
    string,
    number,
    number,
    number,
  ];
  return { key: { resource, namespace, name }, revision, previousRevision, bytes };
}

function portionOf(changes: readonly FirstChange[], from: number): FirstChange[] {
  let bytes = 0;
  let to = from;
  while (to < changes.length && (to === from || bytes < BYTES)) bytes += changes[to++]!.bytes;
  return changes.slice(from, to);
}

async function statesOf(
  { run, vault }: { run: Transaction; vault: Vault },
  portion: readonly FirstChange[],
): Promise<Correction[]> {
  const existed = portion.filter((change) => change.previousRevision > 0);
  const rows =
    existed.length === 0
      ? []
      : await run(`SELECT revision, ${previousColumns} FROM tidegate.log WHERE revision = ANY ($1::bigint[])`, [
          numberArray(existed.map((change) => change.revision)),
        ]);
  const byRevision = new Map(rows.map((row) => [row[0] as number, row]));
  return portion.map(({ key, revision, previousRevision }) => {
    if (previousRevision === 0) return { key, object: undefined };
    const row = byRevision.get(revision);
    if (row === undefined) throw internalError(`the log has lost revision ${revision}`);
    return { key, object: vault.open(key, stateAt(row, 1)) };
  });
}

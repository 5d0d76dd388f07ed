import type { Parameter, Pool, Transaction } from '@tidegate/database';
import { resourceVersionTooLarge } from '@tidegate/status';
import type { Key, ListPage, ListRequest, StoredObject } from '@tidegate/wire';
import type { Vault } from '../../encryption/vault.ts';
import { headWithEpochs, isLost } from '../log/head.ts';
import { expiredRevision } from '../log/log-reader.ts';
import { statements } from '../statements.ts';
import { correctionsAfter } from './corrections.ts';
import { compareKeys } from './key-order.ts';
import { ObjectScan } from './object-scan.ts';

/** Takes a page; resolves when the next page may be made. */
export type TakePage = (page: ListPage) => Promise<void>;

const PAGE = { objects: 500, bytes: 1 << 20 };

/**
 * Lists objects as of one revision. Invariant: all pages of a list come from one REPEATABLE READ snapshot, and memory
 * holds only one page of it. For an older revision each key that has changed since is replaced by its state before the
 * first such change.
 */
export class Lister {
  readonly #pool: Pool;
  readonly #vault: Vault;

  constructor(pool: Pool, vault: Vault) {
    this.#pool = pool;
    this.#vault = vault;
  }

  list(request: ListRequest, take: TakePage): Promise<void> {
    const wanted = request.revision ?? 0;
    return this.#pool.transaction('isolation level repeatable read read only', async (run) => {
      // the lock comes before the snapshot, so that no slot can be truncated between reading the floor and the last page
      if (wanted > 0) await run('LOCK TABLE tidegate.log IN ACCESS SHARE MODE');
      const head = headWithEpochs((await run(statements.headAndEpochs, [wanted]))[0]);
      if (wanted > head.revision) throw resourceVersionTooLarge(String(wanted), String(head.revision));
      if (wanted > 0 && isLost(head, wanted)) throw expiredRevision(wanted, head.floor);
      const objects =
        wanted === 0 || wanted === head.revision
          ? new ObjectScan(run, this.#vault, request).objects()
          : objectsAt({ run, vault: this.#vault }, request, wanted);
      const rest = request.countRest
        ? (last: Key) => countAfter(run, request, { last, revision: wanted === head.revision ? 0 : wanted })
        : async () => 0;
      const heading = { revision: wanted === 0 ? head.revision : wanted, epoch: head.epoch };
      await writePages(objects, { limit: request.limit ?? 0, take, heading, rest });
    });
  }
}

/**
 * Merges two sequences in key order: the objects that have not changed since the revision, and the earlier states of the
 * others. An object that was written after the revision is in the log, so only its earlier state is read.
 */
async function* objectsAt(
  source: { run: Transaction; vault: Vault },
  request: ListRequest,
  revision: number,
): AsyncGenerator<StoredObject> {
  const corrections = correctionsAfter(source, request, revision);
  let correction = (await corrections.next()).value;
  for await (const object of new ObjectScan(source.run, source.vault, request, revision).objects()) {
    while (correction !== undefined && compareKeys(correction.key, object.key) < 0) {
      if (correction.object !== undefined) yield correction.object;
      correction = (await corrections.next()).value;
    }
    yield object;
  }
  while (correction !== undefined) {
    if (correction.object !== undefined) yield correction.object;
    correction = (await corrections.next()).value;
  }
}

interface Pages {
  /** 0 for no limit */
  limit: number;
  take: TakePage;
  heading: Pick<ListPage, 'revision' | 'epoch'>;
  /** how many objects follow the last one */
  rest: (last: Key) => Promise<number>;
}

async function writePages(objects: AsyncGenerator<StoredObject>, { limit, take, heading, rest }: Pages): Promise<void> {
  let page: StoredObject[] = [];
  let bytes = 0;
  let count = 0;
  for await (const object of objects) {
    page.push(object);
    bytes += object.value.length + object.selection.length;
    if (++count === limit) {
      await take({ ...heading, objects: page, remaining: await rest(object.key) });
      return;
    }
    if (page.length < PAGE.objects && bytes < PAGE.bytes) continue;
    await take({ ...heading, objects: page, remaining: 0 });
    page = [];
    bytes = 0;
  }
  if (page.length > 0 || count === 0) await take({ ...heading, objects: page, remaining: 0 });
}

/**
 * Counts the objects of a list that follow a key, at a revision (0: in this snapshot). For an older revision it counts the
 * present objects, and corrects the count by each key that was created or deleted since.
 */
async function countAfter(
  run: Transaction,
  { resource = '', namespace = '' }: ListRequest,
  { last, revision }: { last: Key; revision: number },
): Promise<number> {
  const parameters: Parameter[] = [resource, last.namespace, last.name];
  let range = 'resource = $1 AND (namespace, name) > ($2, $3)';
  if (namespace !== '') {
    parameters.push(namespace);
    range += ' AND namespace = $4';
  }
  let count = `(SELECT count(*) FROM tidegate.objects WHERE ${range})`;
  if (revision > 0) {
    parameters.push(revision);
    count += ` + (
      SELECT count(*) FILTER (WHERE c.previous_revision > 0) - count(o.name) FROM (
        SELECT DISTINCT ON (namespace, name) namespace, name, previous_revision FROM tidegate.log
        WHERE revision > $${parameters.length} AND ${range}
        ORDER BY namespace, name, revision
      ) c
      LEFT JOIN tidegate.objects o ON o.resource = $1 AND o.namespace = c.namespace AND o.name = c.name)`;
  }
  const [row] = await run(`SELECT ${count}`, parameters);
  return Number(row?.[0]);
}

import { isDeepStrictEqual } from 'node:util';
import type { Key } from '@tidegate/wire';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

/** One object that every namespace has, or only one. */
export interface Belonging {
  readonly namespace?: string;
  readonly resource: string;
  readonly name: string;
  readonly kind: string;
  /** what it must say beside its metadata; what it says otherwise is left alone */
  readonly content: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const LIVE = `SELECT name FROM tidegate.objects
  WHERE resource = 'namespaces' AND namespace = '' AND NOT deleting AND ($1::text[] IS NULL OR name = ANY ($1::text[]))`;

const PARALLEL = 4;

/**
 * Sees to it that each living namespace has what belongs to it: made when it is missing, put right when it was changed.
 *
 * Invariant: a namespace is struck off only when all was found right or made, or when it is ending; whatever fails is done
 * again in the next round.
 */
export class Belongings {
  readonly #pool: Pool;
  readonly #gateway: GatewayClient;
  readonly #wanted: readonly Belonging[];
  readonly #open = new Set<string>();
  #changed: Key[] = [];
  #all = false;

  constructor(options: { pool: Pool; gateway: GatewayClient; wanted: readonly Belonging[] }) {
    this.#pool = options.pool;
    this.#gateway = options.gateway;
    this.#wanted = options.wanted;
  }

  /** The changed keys, or undefined when all may have changed. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    if (this.#wanted.length === 0) return;
    // a change is told once: it is kept until it was looked into
    if (changed === undefined) this.#all = true;
    else this.#changed.push(...changed);
    for (const name of await this.#touched(this.#all ? undefined : this.#changed)) this.#open.add(name);
    this.#all = false;
    this.#changed = [];
    const queue = [...this.#open].values();
    const work = async () => {
      for (const namespace of queue) await this.#furnish(namespace);
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  }

  async #touched(changed: readonly Key[] | undefined): Promise<string[]> {
    const names = changed?.flatMap((key) => this.#namespaceOf(key));
    if (names?.length === 0) return [];
    const rows = await this.#pool.query(LIVE, [names === undefined ? null : textArray([...new Set(names)])]);
    return rows.map(([name]) => String(name));
  }

  #namespaceOf({ resource, namespace, name }: Key): string[] {
    if (resource === 'namespaces') return [name];
    return this.#wanted.some((one) => one.resource === resource && one.name === name) ? [namespace] : [];
  }

  async #furnish(namespace: string): Promise<void> {
    let done = true;
    for (const belonging of this.#wanted) {
      const only = belonging.namespace;
      if (only === undefined || only === namespace) done = (await this.#provide(namespace, belonging)) && done;
    }
    if (done) this.#open.delete(namespace);
  }

  /** Answers whether there is no more to do. */
  async #provide(namespace: string, belonging: Belonging): Promise<boolean> {
    const { resource, name, kind, content, annotations } = belonging;
    const collection = `/api/v1/namespaces/${namespace}/${resource}`;
    const { code, body } = await this.#gateway.send('GET', `${collection}/${name}`);
    if (code === 404) {
      const metadata = { name, namespace, ...(annotations && { annotations }) };
      const made = await this.#gateway.send('POST', collection, { apiVersion: 'v1', kind, metadata, ...content });
      // forbidden or not found: the namespace is ending or gone
      return [201, 403, 404].includes(made.code);
    }
    if (code !== 200) return false;
    if (Object.entries(content).every(([field, value]) => isDeepStrictEqual(body[field], value))) return true;
    const put = await this.#gateway.send('PUT', `${collection}/${name}`, { ...body, ...content });
    return [200, 404].includes(put.code);
  }
}

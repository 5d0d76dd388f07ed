import assert from 'node:assert/strict';
import { type Client, configMap, type WatchEvent } from './client.ts';

export const NAMESPACES = ['alpha', 'beta'];
export const path = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
export const ALL_NAMESPACES = '/api/v1/configmaps';

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind, as the server sends them
type ObjectData = any;

/** One change of an object, from the answers to its writer. */
interface Step {
  readonly revision: number;
  readonly before: ObjectData | undefined;
  readonly after: ObjectData | undefined;
}

/** Makes changes to ConfigMaps of two namespaces and knows their state at each version. */
export class History {
  readonly #client: Client;
  readonly #current = new Map<string, ObjectData>();
  readonly steps: Step[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  async makeNamespaces(): Promise<void> {
    for (const name of NAMESPACES) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      assert.equal((await this.#client.request('POST', '/api/v1/namespaces', { body })).code, 201);
    }
  }

  get last(): number {
    return this.steps.at(-1)?.revision ?? 0;
  }

  /** Creates or replaces the object; deletes it when there is no color. */
  async change(namespace: string, name: string, color: string | undefined): Promise<void> {
    const key = `${namespace}/${name}`;
    const before = this.#current.get(key);
    if (color === undefined) {
      if (before !== undefined) await this.#delete(namespace, name, key, before);
      return;
    }
    const body = configMap(name, { step: String(this.steps.length) }, { labels: { color } });
    const reply = await (before === undefined
      ? this.#client.request('POST', path(namespace), { body })
      : this.#client.request('PUT', `${path(namespace)}/${name}`, { body }));
    assert.ok(reply.code < 300, reply.text);
    this.#current.set(key, reply.json);
    this.steps.push({ revision: Number(reply.json.metadata.resourceVersion), before, after: reply.json });
  }

  async #delete(namespace: string, name: string, key: string, before: ObjectData): Promise<void> {
    const reply = await this.#client.request('DELETE', `${path(namespace)}/${name}`);
    assert.equal(reply.code, 200, reply.text);
    this.#current.delete(key);
    // the answer to a deletion has no version: the version of the next list is used
    const list = await this.#client.get(`${path(namespace)}?fieldSelector=metadata.name%3D${name}`);
    this.steps.push({ revision: Number(list.json.metadata.resourceVersion), before, after: undefined });
  }

  /** Makes `count` changes to about twenty objects, the same in each run. */
  async makeChanges(count: number): Promise<void> {
    for (let i = 0; this.steps.length < count; i++) {
      const namespace = NAMESPACES[(i * 7) % 3 === 0 ? 0 : 1] as string;
      const name = `x${10 + ((i * i + 3 * i) % 23)}`;
      const color = i % 5 === 4 ? undefined : (['red', 'blue', 'red', 'green'] as const)[(i * 3) % 4];
      await this.change(namespace, name, color);
    }
  }

  /** The objects at a version, in key order, as in a list. */
  at(revision: number, selects: (object: ObjectData) => boolean = () => true): ObjectData[] {
    const state = new Map<string, ObjectData>();
    for (const { revision: at, before, after } of this.steps) {
      if (at > revision) break;
      state.set(keyOf(after ?? before), after);
    }
    const objects = [...state.values()].filter((object) => object !== undefined && selects(object));
    objects.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return objects.map(({ kind: _kind, apiVersion: _apiVersion, ...object }) => object);
  }

  /** The events after a version for the selected objects, as "TYPE namespace/name step version". */
  events(after: number, selects: (object: ObjectData) => boolean = () => true): string[] {
    const lines: string[] = [];
    for (const { revision, before, after: next } of this.steps) {
      if (revision <= after) continue;
      const [was, is] = [before !== undefined && selects(before), next !== undefined && selects(next)];
      if (is) lines.push(line(was ? 'MODIFIED' : 'ADDED', next, revision));
      else if (was) lines.push(line('DELETED', before, revision));
    }
    return lines;
  }
}

function keyOf(object: ObjectData): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

function line(type: string, object: ObjectData, revision: number | string): string {
  return `${type} ${keyOf(object)} ${object.data.step} ${revision}`;
}

export function eventLine({ type, object }: WatchEvent): string {
  return line(type, object, object.metadata.resourceVersion);
}

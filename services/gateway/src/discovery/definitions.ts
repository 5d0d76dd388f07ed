import type { KindEntry } from '@tidegate/kinds';
import { type JsonObject, type OpenApiOptions, openApiShape, type Schema } from '@tidegate/schema';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const LIST_META = `${META}.ListMeta`;

type ObjectSchema = Schema & { type: 'object' };

/**
 * The named types of one OpenAPI document: those that are asked for, and all that these refer to.
 *
 * Invariant: a type is described once, however often it is referred to; so types may refer to themselves.
 */
export class Definitions {
  readonly #described: JsonObject = {};
  readonly #waiting: Array<[name: string, schema: Schema]> = [];
  readonly #prefix: string;
  readonly #options: OpenApiOptions;
  readonly #kinds = new Map<string, JsonObject[]>();

  constructor(version: 2 | 3) {
    this.#prefix = version === 2 ? '#/definitions/' : '#/components/schemas/';
    this.#options = { version, referTo: (schema) => this.#refer(schema.reference, schema) };
  }

  /** A reference to the type of a kind's objects. */
  object(entry: KindEntry): string {
    const { reference } = entry.schema;
    this.#name(reference, entry, entry.kind);
    return this.#refer(reference, entry.schema) ?? '';
  }

  /** A reference to the type of a kind's lists. */
  list(entry: KindEntry): string {
    const name = `${entry.schema.reference}List`;
    if (this.#described[name] === undefined) {
      this.#name(name, entry, `${entry.kind}List`);
      const items = { type: 'array', items: { $ref: this.object(entry) } };
      const text = { type: 'string' };
      this.#described[name] = {
        type: 'object',
        properties: { apiVersion: text, items, kind: text, metadata: { $ref: this.#prefix + LIST_META } },
        required: ['items'],
      };
    }
    return this.#prefix + name;
  }

  /** A reference to a type that belongs to no kind. */
  other(schema: ObjectSchema): string {
    return this.#refer(schema.reference, schema) ?? '';
  }

  all(): JsonObject {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#described[next[0]] = openApiShape(next[1], this.#options);
    }
    for (const [name, kinds] of this.#kinds) {
      (this.#described[name] as JsonObject)['x-kubernetes-group-version-kind'] = kinds;
    }
    const names = Object.keys(this.#described).sort();
    return Object.fromEntries(names.map((name) => [name, this.#described[name] as JsonObject]));
  }

  #refer(name: string | undefined, schema: Schema): string | undefined {
    if (name === undefined) return undefined;
    if (this.#described[name] === undefined) {
      this.#described[name] = {};
      this.#waiting.push([name, schema]);
    }
    return this.#prefix + name;
  }

  #name(reference: string | undefined, { group, version }: KindEntry, kind: string): void {
    if (reference === undefined || this.#kinds.has(reference)) return;
    this.#kinds.set(reference, [{ group, kind, version }]);
  }
}

import type { Schema } from '@tidegate/schema';
import { configMap } from './entries/configmap.ts';
import { namespace } from './entries/namespace.ts';
import type { KindEntry } from './kind-entry.ts';
import { objectMetaSchema } from './object-meta.ts';

/** A served kind: its entry and what follows from it. */
export interface Kind {
  readonly entry: KindEntry;
  readonly apiVersion: string;
  /** how the store names the resource: `configmaps`, `widgets.example.com` */
  readonly storedAs: string;
  readonly schema: Schema & { type: 'object' };
}

/** Every kind that is served. Custom resources will join at run time; nothing else in the server lists kinds. */
export class Registry {
  readonly #byPath = new Map<string, Kind>();
  readonly #all: Kind[] = [];

  add(entry: KindEntry): void {
    const kind: Kind = {
      entry,
      apiVersion: entry.group === '' ? entry.version : `${entry.group}/${entry.version}`,
      storedAs: entry.group === '' ? entry.resource : `${entry.resource}.${entry.group}`,
      schema: {
        type: 'object',
        name: entry.kind,
        fields: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: objectMetaSchema,
          ...entry.fields,
        },
      },
    };
    this.#byPath.set(`${entry.group}/${entry.version}/${entry.resource}`, kind);
    this.#all.push(kind);
  }

  find(group: string, version: string, resource: string): Kind | undefined {
    return this.#byPath.get(`${group}/${version}/${resource}`);
  }

  all(): readonly Kind[] {
    return this.#all;
  }
}

export function builtInRegistry(): Registry {
  const registry = new Registry();
  for (const entry of [configMap, namespace]) registry.add(entry);
  return registry;
}

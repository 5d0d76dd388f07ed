import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { builtInRegistry, type Kind, readRuntimeConfig } from '../index.ts';

/** One object of a kind, and the object that kube-apiserver 1.35 returned. */
interface Recorded {
  path: string;
  posted: JsonObject;
  answered: JsonObject;
  /** the same as Protobuf; absent for objects that changed immediately */
  protobuf?: string;
  /** the columns of its Table: name, type, format and priority */
  columns: string[];
  cells: Json[];
}

export const recorded = JSON.parse(
  readFileSync(new URL('../../recorded/objects.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** all kinds, with those of beta versions */
export const registry = builtInRegistry(readRuntimeConfig('api/all'));

/** The kind at the path of a collection. */
export function kindAt(path: string): Kind {
  const parts = path.split('/').slice(1);
  const [group = '', version = ''] = parts[0] === 'api' ? ['', parts[1]] : parts.slice(1);
  const kind = registry.find(group, version, parts.at(-1) ?? '');
  if (kind === undefined) throw new Error(`nothing is served at ${path}`);
  return kind;
}

/** All scalars of an object by path, except for some; null counts as absent. */
export function leaves(object: JsonObject, ignored: readonly RegExp[] = []): Record<string, Json> {
  const found: Record<string, Json> = {};
  const visit = (value: Json, path: string): void => {
    if (value === null || value === undefined || ignored.some((form) => form.test(path))) return;
    const inner = isJsonObject(value) || Array.isArray(value) ? Object.entries(value) : [];
    if (inner.length === 0) found[path] = value;
    for (const [name, item] of inner) visit(item as Json, path === '' ? name : `${path}.${name}`);
  };
  visit(object, '');
  return found;
}

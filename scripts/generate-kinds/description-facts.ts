import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublishedOperation, PublishedSchema } from './open-api-facts.ts';

/** Descriptions by field; the description of the type has the empty name. */
type Words = Record<string, string>;

/** Descriptions of types: by the package of a type, then by its name. */
export type TypeDescriptions = ReadonlyMap<string, ReadonlyMap<string, Words>>;

interface Sources {
  readonly published: ReadonlyMap<string, PublishedSchema>;
  /** the longer descriptions that kube-apiserver has for enumerations, by `core.v1/PodSpec.hostUsers` */
  readonly enumDescriptions: ReadonlyMap<string, string>;
  /** `io.k8s.api.core.v1.PodSpec` as `core.v1/PodSpec` */
  readonly shortName: (published: string) => string;
}

/** The descriptions of these types and of all types that they refer to. */
export function typeWords(
  names: Iterable<string>,
  { published, enumDescriptions, shortName }: Sources,
): TypeDescriptions {
  const packages = new Map<string, Map<string, Words>>();
  for (const name of withReferences(names, published)) {
    const { description = '', properties = {} } = published.get(name) as PublishedSchema;
    const words: Words = description === '' ? {} : { '': description };
    for (const [field, property] of Object.entries(properties)) {
      const text = enumDescriptions.get(`${shortName(name)}.${field}`) ?? property.description ?? '';
      if (text !== '') words[field] = text;
    }
    const dot = name.lastIndexOf('.');
    const types = packages.get(name.slice(0, dot)) ?? new Map<string, Words>();
    packages.set(name.slice(0, dot), types.set(name.slice(dot + 1), words));
  }
  return packages;
}

function withReferences(names: Iterable<string>, published: Sources['published']): string[] {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = published.get(name);
    if (schema === undefined || found.has(name)) continue;
    found.add(name);
    const references = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    waiting.push(...Array.from(references, (match) => match[1] as string));
  }
  return [...found].sort();
}

/** Descriptions of path and query parameters. */
export interface ParameterDescriptions {
  readonly path: Words;
  readonly query: Words;
}

/**
 * The description of each parameter. If a parameter has several, the most frequent one has the plain name, and the
 * others are by action or kind: `patch.fieldManager`, `PodExecOptions.stdin`.
 */
export function parameterWords(operations: readonly PublishedOperation[]): ParameterDescriptions {
  const found = { path: new Map<string, Map<string, string[]>>(), query: new Map<string, Map<string, string[]>>() };
  for (const { action, kind, parameters } of operations) {
    for (const { in: place, name, description = '' } of parameters) {
      if (place === 'body' || (place === 'path' && name === 'name') || description === '') continue;
      const texts = found[place].get(name) ?? new Map<string, string[]>();
      const users = texts.get(description) ?? [];
      found[place].set(name, texts.set(description, [...users, action === 'patch' ? action : kind]));
    }
  }
  return { path: plainFirst(found.path), query: plainFirst(found.query) };
}

function plainFirst(found: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): Words {
  const words: Words = {};
  for (const [name, texts] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [[plain = ''] = [], ...others] = [...texts].sort(([, a], [, b]) => b.length - a.length);
    words[name] = plain;
    for (const [text, users] of others) for (const user of new Set(users)) words[`${user}.${name}`] = text;
  }
  return words;
}

/** Descriptions of a Go type's fields, for types that OpenAPI does not include. */
export function swaggerWords(folder: string, type: string): Words {
  const text = readFileSync(join(folder, 'types_swagger_doc_generated.go'), 'utf8');
  const map = new RegExp(`^var map_${type} = map\\[string\\]string\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)?.[1] ?? '';
  const lines = map.matchAll(/^\t("(?:[^"\\]|\\.)*"):\s+("(?:[^"\\]|\\.)*"),$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = '', words = '']) => [JSON.parse(name), JSON.parse(words)]));
}

import type { Kind, KindEntry } from '@tidegate/kinds';
import { connectOperations } from './connect-operations.ts';
import { type Operation, operationWords, tagOf, wordOf } from './operation-words.ts';
import { DELETING, DELETING_MANY, getQuery, listQuery, WRITING } from './query-parameters.ts';

/** By verb: how it is asked for, and what it is called. */
const SHAPES = {
  list: { method: 'get', action: 'list', word: 'list', takes: 'nothing', answers: 'list' },
  create: { method: 'post', action: 'post', word: 'create', takes: 'object', answers: 'object' },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    takes: 'options',
    answers: 'status',
  },
  get: { method: 'get', action: 'get', word: 'read', takes: 'nothing', answers: 'object' },
  update: { method: 'put', action: 'put', word: 'replace', takes: 'object', answers: 'object' },
  patch: { method: 'patch', action: 'patch', word: 'patch', takes: 'patch', answers: 'object' },
  delete: { method: 'delete', action: 'delete', word: 'delete', takes: 'options', answers: 'status' },
} as const;

type Verb = keyof typeof SHAPES;
const OF_COLLECTION: readonly Verb[] = ['list', 'create', 'deletecollection'];
const OF_OBJECT: readonly Verb[] = ['get', 'update', 'patch', 'delete'];
const OF_SUBRESOURCE: readonly Verb[] = ['create', ...OF_OBJECT];

/** Where an operation is: its path, the subresource there, and how its kind is called in the operation's id. */
interface Place {
  readonly path: string;
  readonly subresource: string;
  readonly target: string;
  /** the kind of the subresource's objects, where it has one of its own */
  readonly of?: KindEntry | undefined;
}

/** Everything that can be done with a kind. */
export function operationsOf(kind: Kind): Operation[] {
  const { entry, apiVersion } = kind;
  const prefix = `/${entry.group === '' ? 'api' : 'apis'}/${apiVersion}`;
  const collection = `${prefix}${entry.namespaced ? '/namespaces/{namespace}' : ''}/${entry.resource}`;
  const target = `${entry.namespaced ? 'Namespaced' : ''}${entry.kind}`;
  const all = { path: collection, subresource: '', target };
  const single = { ...all, path: `${collection}/{name}` };
  const everywhere = { ...all, path: `${prefix}/${entry.resource}`, target: `${entry.kind}ForAllNamespaces` };
  const below = Object.entries(entry.subresources).flatMap(([subresource, { verbs, entry: of }]) => {
    const path = `${single.path}/${subresource}`;
    const place = { path, subresource, target: target + wordOf(subresource), of };
    return connectOperations(entry, place) ?? served(OF_SUBRESOURCE, verbs).map((verb) => one(entry, verb, place));
  });
  return [
    ...served(OF_COLLECTION, entry.verbs).map((verb) => one(entry, verb, all)),
    ...served(OF_OBJECT, entry.verbs).map((verb) => one(entry, verb, single)),
    ...(entry.namespaced && entry.verbs.includes('list') ? [one(entry, 'list', everywhere)] : []),
    ...below,
  ];
}

function served(verbs: readonly Verb[], among: readonly string[]): readonly Verb[] {
  return verbs.filter((verb) => among.includes(verb));
}

function one(main: KindEntry, verb: Verb, { path, subresource, target, of = main }: Place): Operation {
  const { word, ...shape } = SHAPES[verb];
  const many = verb === 'deletecollection' ? 'Collection' : '';
  const { group, version, kind } = of;
  const answers = verb === 'delete' && main.deleteReturnsObject === true ? 'object' : shape.answers;
  return {
    ...shape,
    path,
    answers,
    id: `${word}${wordOf(main.group)}${wordOf(main.version)}${many}${target}`,
    tag: tagOf(main),
    description: operationWords(main, verb, subresource),
    of: { group, version, kind },
    // of custom kinds kube-apiserver does not say that a scale is named
    nameOf: main.custom === undefined ? kind : main.kind,
    entry: of,
    isCustom: main.custom !== undefined,
    query: ['pretty', ...queryOf(main, verb, subresource)],
  };
}

function queryOf(entry: KindEntry, verb: Verb, subresource: string): readonly string[] {
  switch (verb) {
    case 'list':
      return listQuery(entry);
    case 'get':
      return getQuery(entry, subresource);
    case 'delete':
      return DELETING;
    case 'deletecollection':
      return DELETING_MANY;
    case 'patch':
      return [...WRITING, 'force'];
    case 'create':
    case 'update':
      return WRITING;
  }
}

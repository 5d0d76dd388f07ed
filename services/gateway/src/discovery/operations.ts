import type { Kind, KindEntry } from '@tidegate/kinds';
import { connectWords, type Operation, operationWords, tagOf, wordOf } from './operation.ts';
import { CONNECTING, DELETING, DELETING_MANY, getQuery, LOGGING, listQuery, WRITING } from './query-parameters.ts';

/** The method and the names of each verb. */
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

/** The path of an operation, its subresource, and the name of its kind in the operation's id. */
interface Place {
  readonly path: string;
  readonly subresource: string;
  readonly target: string;
  /** the kind of the subresource's objects, where it differs */
  readonly of?: KindEntry | undefined;
}

/** All operations of a kind. */
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

interface Below {
  /** the path of the subresource */
  readonly path: string;
  readonly subresource: string;
  /** `NamespacedPodExec` */
  readonly target: string;
  /** the kind of the options, where it differs from the object's */
  readonly of?: KindEntry | undefined;
}

/** The operations of a subresource that answers text or arbitrary data; undefined for other subresources. */
export function connectOperations(main: KindEntry, below: Below): Operation[] | undefined {
  const { path, subresource, target, of = main } = below;
  const { group, version, kind } = of;
  const common = {
    of: { group, version, kind },
    nameOf: kind,
    entry: of,
    tag: tagOf(main),
    takes: 'nothing',
    isCustom: false,
  } as const;
  const place = `${wordOf(main.group)}${wordOf(main.version)}`;
  if (subresource === 'log') {
    const description = operationWords(main, 'get', subresource);
    const id = `read${place}${target}`;
    return [{ path, method: 'get', action: 'get', answers: 'text', id, query: LOGGING, description, ...common }];
  }
  const query = Object.hasOwn(CONNECTING, subresource) ? CONNECTING[subresource] : undefined;
  if (query === undefined) return undefined;
  const one = (method: Operation['method'], at: string, suffix: string): Operation => ({
    path: at,
    method,
    action: 'connect',
    answers: 'anything',
    id: `connect${place}${method.charAt(0).toUpperCase()}${method.slice(1)}${target}${suffix}`,
    description: connectWords(main, method, subresource),
    query,
    ...common,
  });
  if (subresource !== 'proxy') return [one('get', path, ''), one('post', path, '')];
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
  return methods.flatMap((method) => [one(method, path, ''), one(method, `${path}/{path}`, 'WithPath')]);
}

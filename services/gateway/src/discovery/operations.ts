import type { Kind, KindEntry } from '@tidegate/kinds';
import { connectOperations } from './connect-operations.ts';

/** One thing that a path does, as OpenAPI documents say it. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** in Kubernetes' words: `list`, `post`, `put`, `deletecollection`, … */
  readonly action: string;
  readonly id: string;
  readonly of: Pick<KindEntry, 'group' | 'version' | 'kind'>;
  /** names of query parameters */
  readonly query: readonly string[];
  readonly takes: 'nothing' | 'object' | 'patch' | 'options';
  readonly answers: 'object' | 'list' | 'status' | 'text';
  /** the kind whose objects it takes and answers */
  readonly entry: KindEntry;
}

const LISTING = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const WRITING = ['dryRun', 'fieldManager', 'fieldValidation'];
const DELETING = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];

/** By verb: how it is asked for, and what it is called. */
const SHAPES = {
  list: { method: 'get', action: 'list', word: 'list', query: LISTING, takes: 'nothing', answers: 'list' },
  create: { method: 'post', action: 'post', word: 'create', query: WRITING, takes: 'object', answers: 'object' },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    query: [...DELETING, ...LISTING.filter((name) => !/watch|Bookmarks/i.test(name))],
    takes: 'options',
    answers: 'status',
  },
  get: { method: 'get', action: 'get', word: 'read', query: [], takes: 'nothing', answers: 'object' },
  update: { method: 'put', action: 'put', word: 'replace', query: WRITING, takes: 'object', answers: 'object' },
  patch: {
    method: 'patch',
    action: 'patch',
    word: 'patch',
    query: [...WRITING, 'force'],
    takes: 'patch',
    answers: 'object',
  },
  delete: { method: 'delete', action: 'delete', word: 'delete', query: DELETING, takes: 'options', answers: 'status' },
} as const;

type Verb = keyof typeof SHAPES;
const OF_COLLECTION: readonly Verb[] = ['list', 'create', 'deletecollection'];
const OF_OBJECT: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

/** Everything that can be done with a kind. */
export function operationsOf({ entry, apiVersion }: Kind): Operation[] {
  const prefix = `/${entry.group === '' ? 'api' : 'apis'}/${apiVersion}`;
  const scope = entry.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${prefix}${scope}/${entry.resource}`;
  const scopeWord = scope === '' ? '' : 'Namespaced';
  const one = (path: string, verb: Verb, target = `${scopeWord}${entry.kind}`, of = entry): Operation => {
    const { word, query, ...shape } = SHAPES[verb];
    const many = verb === 'deletecollection' ? 'Collection' : '';
    const id = `${word}${wordOf(entry.group)}${wordOf(entry.version)}${many}${target}`;
    const { group, version, kind } = of;
    return { path, ...shape, id, of: { group, version, kind }, entry: of, query: ['pretty', ...query] };
  };
  const below = (subresource: string, of = entry): Operation[] | undefined => {
    const target = `${scopeWord}${entry.kind}${wordOf(subresource)}`;
    const place = `${wordOf(entry.group)}${wordOf(entry.version)}`;
    return connectOperations({ path: `${collection}/{name}/${subresource}`, subresource, place, target, of });
  };
  const served = (verbs: readonly Verb[], among: readonly string[]) => verbs.filter((verb) => among.includes(verb));
  return [
    ...served(OF_COLLECTION, entry.verbs).map((verb) => one(collection, verb)),
    ...served(OF_OBJECT, entry.verbs).map((verb) => one(`${collection}/{name}`, verb)),
    ...(entry.namespaced && entry.verbs.includes('list')
      ? [one(`${prefix}/${entry.resource}`, 'list', `${entry.kind}ForAllNamespaces`)]
      : []),
    ...Object.entries(entry.subresources).flatMap(
      ([name, sub]) =>
        below(name, sub.entry) ??
        served(OF_OBJECT, sub.verbs).map((verb) =>
          one(`${collection}/{name}/${name}`, verb, `${scopeWord}${entry.kind}${wordOf(name)}`, sub.entry),
        ),
    ),
  ];
}

/** `rbac.authorization.k8s.io` becomes `RbacAuthorization`, `cert-manager.io` `CertManagerIo`, the core group `Core`. */
function wordOf(name: string): string {
  const words = (name === '' ? 'core' : name.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Types of the query parameters that are no texts. */
const PARAMETER_TYPES: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'boolean',
  follow: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  insecureSkipTLSVerifyBackend: 'boolean',
  limit: 'integer',
  limitBytes: 'integer',
  orphanDependents: 'boolean',
  ports: 'integer',
  previous: 'boolean',
  sendInitialEvents: 'boolean',
  sinceSeconds: 'integer',
  stderr: 'boolean',
  stdin: 'boolean',
  stdout: 'boolean',
  tailLines: 'integer',
  timeoutSeconds: 'integer',
  timestamps: 'boolean',
  tty: 'boolean',
  watch: 'boolean',
};

export function parameterType(name: string): string {
  return PARAMETER_TYPES[name] ?? 'string';
}

/** Names in braces. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

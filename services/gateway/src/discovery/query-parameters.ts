import type { KindEntry } from '@tidegate/kinds';

const SELECTING = ['fieldSelector', 'labelSelector'];
const AT_A_VERSION = ['resourceVersion', 'resourceVersionMatch'];
const WATCHING = ['allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'watch'];
const PAGING = ['continue', 'limit'];

/** The parameters of a list, which becomes a watch with `watch`. */
export function listQuery({ verbs }: KindEntry): readonly string[] {
  return [...PAGING, ...SELECTING, ...AT_A_VERSION, ...(verbs.includes('watch') ? WATCHING : [])].sort();
}

/** The parameters of a read of one object or subresource; a scale is always read most recently. */
export function getQuery({ verbs }: KindEntry, subresource: string): readonly string[] {
  if (subresource === 'scale' || !verbs.includes('watch')) return [];
  if (subresource !== '') return ['resourceVersion'];
  return [...SELECTING, ...AT_A_VERSION, ...WATCHING].sort();
}

export const WRITING = ['dryRun', 'fieldManager', 'fieldValidation'];

export const DELETING = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];

export const DELETING_MANY = [
  ...DELETING,
  ...PAGING,
  ...SELECTING,
  ...AT_A_VERSION,
  'sendInitialEvents',
  'timeoutSeconds',
].sort();

const COMMAND = ['container', 'stderr', 'stdin', 'stdout', 'tty'];

/** The parameters of paths that are forwarded to a kubelet or a pod. */
export const CONNECTING: Readonly<Record<string, readonly string[]>> = {
  attach: COMMAND,
  exec: ['command', ...COMMAND],
  portforward: ['ports'],
  proxy: ['path'],
};

export const LOGGING = [
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'pretty',
  'previous',
  'sinceSeconds',
  'sinceTime',
  'stream',
  'tailLines',
  'timestamps',
];

/** The types of query parameters that are not strings. */
const TYPES: Readonly<Record<string, string>> = {
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
  return TYPES[name] ?? 'string';
}

/** The path parameters: the names in braces. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

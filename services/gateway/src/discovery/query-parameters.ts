import type { KindEntry } from '@tidegate/kinds';

const SELECTING = ['fieldSelector', 'labelSelector'];
const AT_A_VERSION = ['resourceVersion', 'resourceVersionMatch'];
const WATCHING = ['allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'watch'];
const PAGING = ['continue', 'limit'];

/** Of a list, which is a watch when the query says so. */
export function listQuery({ verbs }: KindEntry): readonly string[] {
  return [...PAGING, ...SELECTING, ...AT_A_VERSION, ...(verbs.includes('watch') ? WATCHING : [])].sort();
}

/** Of one object, which can be watched as well; of what is below it, which cannot. A scale is always the most recent. */
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

/** Of paths whose answer is somebody else's: a kubelet's, a pod's. */
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

/** Types of the query parameters that are no texts. */
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

/** Names in braces. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

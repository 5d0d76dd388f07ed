import { parseFlag, parseInt64, type Query, type RequestInfo } from '@tidegate/request-info';
import { readFieldValidation, refuseDryRun, refuseFieldManager } from './write-options.ts';

type Validate = (name: string, text: string, info: RequestInfo) => unknown;

/** Validators of parameters that do not depend on others. The others are validated where they are used. */
const VALIDATORS: Readonly<Record<string, Validate>> = {
  allowWatchBookmarks: parseFlag,
  force: parseFlag,
  ignoreStoreReadErrorWithClusterBreakingPotential: parseFlag,
  orphanDependents: parseFlag,
  pretty: parseFlag,
  sendInitialEvents: parseFlag,
  watch: parseFlag,
  gracePeriodSeconds: parseInt64,
  limit: parseInt64,
  timeoutSeconds: parseInt64,
  dryRun: (_, __, info) => refuseDryRun(info, info.query.all('dryRun')),
  fieldManager: (_, text, info) => refuseFieldManager(info, text),
  fieldValidation: (_, text, info) => readFieldValidation(info, text),
};

const OF_COLLECTIONS = ['allowWatchBookmarks', 'limit', 'pretty', 'sendInitialEvents', 'timeoutSeconds', 'watch'];
const OF_WRITES = ['dryRun', 'fieldManager', 'fieldValidation', 'pretty'];
const OF_DELETION = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'pretty',
];

const OF_VERBS: Readonly<Record<string, ReadonlySet<string>>> = {
  get: new Set(['pretty']),
  list: new Set(OF_COLLECTIONS),
  watch: new Set(OF_COLLECTIONS),
  create: new Set(OF_WRITES),
  update: new Set(OF_WRITES),
  patch: new Set(['force', ...OF_WRITES]),
  delete: new Set(OF_DELETION),
  deletecollection: new Set([...OF_COLLECTIONS, ...OF_DELETION]),
};

/**
 * Validates the parameters that Kubernetes knows for a verb before the request is processed, for all resources and
 * subresources. Parameters of other verbs are ignored, as in Kubernetes.
 */
export function validateParameters(info: RequestInfo): void {
  const known = OF_VERBS[info.verb];
  if (known === undefined) return;
  for (const name of info.query.names()) {
    if (known.has(name)) VALIDATORS[name]?.(name, info.query.get(name) as string, info);
  }
}

/** A flag of a log or a connection: any text but `false` and `0` is true. */
export function pathFlag(query: Query, name: string): boolean {
  const text = query.get(name);
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false';
}

import type { FeatureGates } from '@tidegate/feature-gates';
import type { Propagation } from '@tidegate/kinds';
import { clean, isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { badRequest, invalidValue, notSupported } from '@tidegate/status';
import { decodeObject } from '../codec/decode-body.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { isDryRun, refuseOption } from '../request/write-options.ts';

export interface DeleteOptions {
  dryRun: boolean;
  uid: string | undefined;
  resourceVersion: string | undefined;
  /** the grace period in seconds; a negative one counts as one second */
  graceSeconds: number | undefined;
  propagation: Propagation | undefined;
  /** the deprecated option for propagation; it also changes the status code of the answer */
  orphanDependents: boolean | undefined;
  /** delete an object that cannot be read */
  ignoreReadErrors: boolean;
  /** admission ran already, for the write that caused this deletion */
  isAdmitted?: true;
}

const deleteOptionsSchema: Schema & { type: 'object' } = {
  type: 'object',
  fields: {
    kind: { type: 'string' },
    apiVersion: { type: 'string' },
    gracePeriodSeconds: { type: 'int64', number: 1, tracksPresence: true },
    preconditions: {
      type: 'object',
      number: 2,
      fields: {
        uid: { type: 'string', number: 1, tracksPresence: true },
        resourceVersion: { type: 'string', number: 2, tracksPresence: true },
      },
    },
    orphanDependents: { type: 'bool', number: 3, tracksPresence: true },
    propagationPolicy: { type: 'string', number: 4, tracksPresence: true },
    dryRun: { type: 'list', items: { type: 'string' }, number: 5 },
    ignoreStoreReadErrorWithClusterBreakingPotential: { type: 'bool', number: 6, tracksPresence: true },
  },
};

const POLICIES: readonly Propagation[] = ['Foreground', 'Background', 'Orphan'];

/** The options of a delete: from the body if there is one, else from the query. */
export function deleteOptions(gates: Pick<FeatureGates, 'enabled'>, request: ResourceRequest): DeleteOptions {
  const body = request.body.length === 0 ? {} : readBody(request);
  const ignoreReadErrors = gates.enabled('AllowUnsafeMalformedObjectDeletion') && ignoresReadErrors(request, body);
  if (ignoreReadErrors) refuseIncompatible(request, body);
  const given = request.body.length > 0 ? body : optionsInQuery(request);
  const preconditions = isJsonObject(given.preconditions) ? given.preconditions : {};
  const orphanDependents = typeof given.orphanDependents === 'boolean' ? given.orphanDependents : undefined;
  const policy = readPolicy(request, given.propagationPolicy, orphanDependents);
  if (policy === undefined && orphanDependents === undefined) warnOfDefault(request);
  return {
    dryRun: isDryRun(request, Array.isArray(body.dryRun) ? body.dryRun.map(String) : []),
    uid: textOf(preconditions.uid),
    resourceVersion: textOf(preconditions.resourceVersion),
    graceSeconds: readSeconds(request, given.gracePeriodSeconds),
    propagation: policy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background'),
    orphanDependents,
    ignoreReadErrors,
  };
}

/** Warns that dependents are orphaned by default for this kind, which clients may not expect. */
function warnOfDefault({ kind, warnings }: ResourceRequest): void {
  const warning = kind.stored.entry.orphansByDefault?.warning;
  if (warning !== undefined) warnings.push(warning);
}

/**
 * The options of a delete without a body. For a collection, resourceVersion selects the state of the collection; for
 * one object it is a precondition, like its uid.
 */
function optionsInQuery({ info: { query, verb } }: ResourceRequest): JsonObject {
  const preconditions =
    verb === 'delete' ? { uid: query.get('uid'), resourceVersion: query.get('resourceVersion') } : {};
  return {
    preconditions,
    orphanDependents: query.get('orphanDependents') === undefined ? undefined : query.flag('orphanDependents'),
    propagationPolicy: query.get('propagationPolicy'),
    gracePeriodSeconds: query.count('gracePeriodSeconds'),
  } as JsonObject;
}

function readBody(request: ResourceRequest): JsonObject {
  const { object: body } = decodeObject(deleteOptionsSchema, request.body, request.contentType);
  if (body.kind !== undefined && body.kind !== 'DeleteOptions') {
    throw badRequest(`the body of a delete must be a DeleteOptions, not a ${String(body.kind)}`);
  }
  const { value, problems } = clean(deleteOptionsSchema, body, 'DeleteOptions');
  const [problem] = problems;
  if (problem !== undefined) throw badRequest(problem.message);
  return value;
}

function readPolicy(
  { info }: ResourceRequest,
  policy: Json | undefined,
  orphanDependents: boolean | undefined,
): Propagation | undefined {
  if (policy === undefined || policy === null) return undefined;
  if (orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    throw refuseOption(info, [invalidValue('propagationPolicy', policy, why)]);
  }
  const known = POLICIES.find((name) => name === policy);
  if (known === undefined) throw refuseOption(info, [notSupported('propagationPolicy', policy, [...POLICIES, 'nil'])]);
  return known;
}

function readSeconds({ info }: ResourceRequest, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = Number(value);
  if (Number.isSafeInteger(seconds) && value !== '') return seconds;
  throw refuseOption(info, [invalidValue('gracePeriodSeconds', value, 'must be a whole number of seconds')]);
}

export const IGNORE_READ_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const INCOMPATIBLE = [
  'dryRun',
  'propagationPolicy',
  'orphanDependents',
  'gracePeriodSeconds',
  'preconditions',
] as const;

function ignoresReadErrors({ info }: ResourceRequest, body: JsonObject): boolean {
  return body[IGNORE_READ_ERRORS] === undefined
    ? info.query.flag(IGNORE_READ_ERRORS)
    : body[IGNORE_READ_ERRORS] === true;
}

/** An object that cannot be read cannot be checked, so options that need its content are rejected. */
function refuseIncompatible({ info }: ResourceRequest, body: JsonObject): void {
  const because = (why: string) => invalidValue(IGNORE_READ_ERRORS, true, why);
  if (info.verb === 'deletecollection') {
    throw refuseOption(info, [because('is not allowed with DELETECOLLECTION, try again after removing the option')]);
  }
  const present = INCOMPATIBLE.filter((name) => (body[name] ?? info.query.get(name)) !== undefined);
  if (present.length > 0) {
    throw refuseOption(
      info,
      present.map((name) => because(`cannot be set together with .${name}`)),
    );
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The options as the body of a delete. */
export function deleteOptionsShown(options: DeleteOptions): JsonObject {
  const { uid, resourceVersion, graceSeconds, propagation, orphanDependents } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagation === undefined || orphanDependents !== undefined ? {} : { propagationPolicy: propagation }),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}

import { isJsonObject, type JsonObject, type Schema } from '@tidegate/schema';
import { badRequest, forbiddenField, invalidValue, notSupported } from '@tidegate/status';
import { decodeObject } from '../codec/decode-body.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import { isDryRun, refuseOption } from './admit-object.ts';

export interface DeleteOptions {
  dryRun: boolean;
  uid: string | undefined;
  resourceVersion: string | undefined;
  propagation: 'Foreground' | 'Background' | 'Orphan' | undefined;
  /** remove an object that cannot be read */
  ignoreReadErrors: boolean;
}

const deleteOptionsSchema: Schema = {
  type: 'object',
  fields: {
    gracePeriodSeconds: { type: 'int64', number: 1 },
    preconditions: {
      type: 'object',
      number: 2,
      fields: { uid: { type: 'string', number: 1 }, resourceVersion: { type: 'string', number: 2 } },
    },
    orphanDependents: { type: 'bool', number: 3 },
    propagationPolicy: { type: 'string', number: 4 },
    dryRun: { type: 'list', items: { type: 'string' }, number: 5 },
    ignoreStoreReadErrorWithClusterBreakingPotential: { type: 'bool', number: 6 },
  },
};

function bodyOf({ body, contentType }: ResourceRequest): JsonObject {
  return body.length === 0 ? {} : decodeObject(deleteOptionsSchema, body, contentType).object;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

/** The options of a delete: from the body when there is one, else from the query. */
export function deleteOptions(gateway: Gateway, request: ResourceRequest): DeleteOptions {
  const { query } = request.info;
  const body = bodyOf(request);
  if (body.kind !== undefined && body.kind !== 'DeleteOptions') {
    throw badRequest(`the body of a delete is a DeleteOptions, not a ${String(body.kind)}`);
  }
  const ignoreReadErrors = gateway.gates.enabled('AllowUnsafeMalformedObjectDeletion') && asksToIgnore(request, body);
  if (ignoreReadErrors) refuseCompanions(request, body);
  const preconditions = isJsonObject(body.preconditions) ? body.preconditions : {};
  const policy = body.propagationPolicy ?? query.get('propagationPolicy');
  const orphan = body.orphanDependents ?? query.get('orphanDependents');
  if (policy !== undefined && policy !== null && orphan !== undefined && orphan !== null) {
    throw refuseOption(request.info, [
      forbiddenField('propagationPolicy', 'orphanDependents and deletionPropagation cannot be both set'),
    ]);
  }
  if (policy !== undefined && policy !== null && !POLICIES.includes(policy as never)) {
    throw refuseOption(request.info, [notSupported('propagationPolicy', policy, [...POLICIES])]);
  }
  return {
    dryRun: isDryRun(request, Array.isArray(body.dryRun) ? body.dryRun.map(String) : []),
    uid: textOf(preconditions.uid),
    resourceVersion: textOf(preconditions.resourceVersion),
    propagation: (policy ?? undefined) as DeleteOptions['propagation'],
    ignoreReadErrors,
  };
}

export const IGNORE_READ_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const COMPANIONS = ['dryRun', 'propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const;

function asksToIgnore({ info }: ResourceRequest, body: JsonObject): boolean {
  return body[IGNORE_READ_ERRORS] === undefined
    ? info.query.flag(IGNORE_READ_ERRORS)
    : body[IGNORE_READ_ERRORS] === true;
}

/** An object that nobody can read is not deleted with care: what would need its content is refused. */
function refuseCompanions({ info }: ResourceRequest, body: JsonObject): void {
  const because = (why: string) => invalidValue(IGNORE_READ_ERRORS, true, why);
  if (info.verb === 'deletecollection') {
    throw refuseOption(info, [because('is not allowed with DELETECOLLECTION, try again after removing the option')]);
  }
  const present = COMPANIONS.filter((name) => (body[name] ?? info.query.get(name)) !== undefined);
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

import { isJsonObject, type Schema } from '@tidegate/schema';
import { badRequest, forbiddenField, notSupported } from '@tidegate/status';
import { decodeObject } from '../codec/decode-body.ts';
import type { ResourceRequest } from '../gateway.ts';
import { isDryRun, refuseOption } from './admit-object.ts';

export interface DeleteOptions {
  dryRun: boolean;
  uid: string | undefined;
  resourceVersion: string | undefined;
  propagation: 'Foreground' | 'Background' | 'Orphan' | undefined;
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
  },
};

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

/** The options of a delete: from the body when there is one, else from the query. */
export function deleteOptions(request: ResourceRequest): DeleteOptions {
  const { query } = request.info;
  const body = request.body.length === 0 ? {} : decodeObject(deleteOptionsSchema, request.body, request.contentType);
  if (body.kind !== undefined && body.kind !== 'DeleteOptions') {
    throw badRequest(`the body of a delete is a DeleteOptions, not a ${String(body.kind)}`);
  }
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
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

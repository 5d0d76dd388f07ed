import { type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../rules/admit-object.ts';
import type { DeleteOptions } from '../rules/delete-options.ts';
import type { Operation } from './act.ts';
import { Inquiry } from './inquiry.ts';

interface Asking {
  readonly operation: Operation;
  /** of the objects, where a subresource has its own */
  readonly kind?: Kind;
  /** where the path does not name the object */
  readonly name?: string;
  /** those of the query, where they are not others */
  readonly options?: () => JsonObject | null;
  readonly isDryRun?: boolean;
}

/** Whom to ask about a request; undefined: nobody. */
export function inquiryOf(gateway: Gateway, request: ResourceRequest, asking: Asking): Inquiry | undefined {
  const { info, user, warnings, conversions, record, notes } = request;
  const { operation, kind = request.kind } = asking;
  const dryRun = asking.isDryRun ?? isDryRun(request);
  const act = { operation, kind: request.kind, resource: info.resource, subresource: info.subresource };
  const asked = { act, name: info.name || (asking.name ?? '') };
  const mutating = gateway.admission.hooksAt('mutating', asked);
  const validating = gateway.admission.hooksAt('validating', asked);
  const policies = gateway.admission.policiesAt(asked);
  if (mutating.length + validating.length + policies.length === 0) return undefined;
  const options = asking.options === undefined ? optionsOf(request, operation) : asking.options();
  const { name, namespace } = info;
  const attributes = { act, kind, name, namespace, user, options, isDryRun: dryRun, conversions, record, notes };
  return new Inquiry({ gateway, attributes, mutating, validating, policies, warnings });
}

const API_VERSION = 'meta.k8s.io/v1';
const KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' };

function optionsOf(request: ResourceRequest, operation: Operation): JsonObject {
  const { query } = request.info;
  const options: JsonObject = { kind: KINDS[operation], apiVersion: API_VERSION };
  if (isDryRun(request)) options.dryRun = ['All'];
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = query.get(name);
    if (value) options[name] = value;
  }
  return options;
}

/** As a client says them in the body of a delete. */
export function deleteOptionsShown(options: DeleteOptions): JsonObject {
  const { uid, resourceVersion, graceSeconds, propagation, orphanDependents } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: KINDS.DELETE,
    apiVersion: API_VERSION,
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagation === undefined || orphanDependents !== undefined ? {} : { propagationPolicy: propagation }),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}

/** An object that is made but not kept, as those who are asked about it make it. */
export async function admittedCreation(
  gateway: Gateway,
  own: ResourceRequest,
  object: JsonObject,
): Promise<JsonObject> {
  const parent = gateway.registry.find(own.info.group, own.info.version, own.info.resource) ?? own.kind;
  const request = { ...own, kind: parent };
  const inquiry = inquiryOf(gateway, request, {
    operation: 'CREATE',
    kind: own.kind,
    name: metaOf(object).name ?? '',
  });
  if (inquiry === undefined) return object;
  const made = (await inquiry.mutate({ object, old: undefined })) ?? object;
  await inquiry.validate({ object: made, old: undefined });
  return made;
}

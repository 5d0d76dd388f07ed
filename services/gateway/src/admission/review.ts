import { fromStored, type Kind, metaOf } from '@tidegate/kinds';
import { copyOf, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { userInfo } from '../request/user.ts';
import type { Attributes, ReviewedObjects, RuleTarget } from './attributes.ts';
import type { Hook } from './hooks.ts';

const GROUP = 'admission.k8s.io';

/** The AdmissionReview for one webhook, in the version that it supports. */
export function reviewOf({ review }: Hook, request: JsonObject): JsonObject {
  return { kind: 'AdmissionReview', apiVersion: `${GROUP}/${review}`, request };
}

interface ReviewInput {
  readonly target: RuleTarget;
  readonly uid: string;
  readonly objects: ReviewedObjects;
}

/** The request of an AdmissionReview, with the objects in the version that the matching rules name. */
export function requestOf(attributes: Attributes, { target, uid, objects: { object, old } }: ReviewInput): JsonObject {
  const { user, options, isDryRun } = attributes;
  const name = attributes.name || (object === undefined ? '' : (metaOf(object).name ?? ''));
  const namespace = target.kind.storedAs === 'namespaces' ? name : attributes.namespace;
  const shown = shownKind(attributes, target);
  const show = (one: JsonObject | undefined): Json => (one === undefined ? null : fromStored(shown, copyOf(one)));
  const below = target.subresource;
  return {
    uid,
    kind: kindNamed(shown),
    resource: resourceNamed(target),
    ...(below === '' ? {} : { subResource: below }),
    requestKind: kindNamed(attributes.kind),
    requestResource: resourceNamed(attributes.target),
    ...(below === '' ? {} : { requestSubResource: below }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: target.operation,
    userInfo: userInfo(user),
    object: show(object),
    oldObject: show(old),
    dryRun: isDryRun,
    options,
  };
}

/** The objects in the version of the matched target, converted by a webhook where the kind needs that. */
export async function objectsShown(
  attributes: Attributes,
  target: RuleTarget,
  objects: ReviewedObjects,
): Promise<ReviewedObjects> {
  const { kind, conversions } = attributes;
  const shown = shownKind(attributes, target);
  if (conversions === undefined || shown.apiVersion === kind.apiVersion) return objects;
  return convertedObjects(objects, (one) => conversions.convertedCopy(one, kind, shown));
}

async function convertedObjects(
  { object, old }: ReviewedObjects,
  convert: (one: JsonObject) => Promise<JsonObject>,
): Promise<ReviewedObjects> {
  return {
    object: object === undefined ? undefined : await convert(object),
    old: old === undefined ? undefined : await convert(old),
  };
}

/** A subresource's own kind is the same in all versions. */
export function shownKind({ kind, target: requested }: Attributes, target: RuleTarget): Kind {
  return kind === requested.kind ? target.kind : kind;
}

function kindNamed({ entry: { group, version, kind } }: Kind): JsonObject {
  return { group, version, kind };
}

function resourceNamed({ kind: { entry }, resource }: RuleTarget): JsonObject {
  return { group: entry.group, version: entry.version, resource };
}

/** The answer of a webhook, decoded. */
export interface Verdict {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** keys and values for the audit record of the request */
  readonly annotations: ReadonlyArray<readonly [string, string]>;
  /** empty: no change */
  readonly patch: Buffer;
  readonly patchType: string;
}

/** Decodes and checks the answer to a review. */
export function verdictOf(
  answer: JsonObject,
  { hook, uid, mayPatch }: { hook: Hook; uid: string; mayPatch: boolean },
): Verdict {
  const wrong = (words: string) => new WebhookFailure(words);
  const expected = `${GROUP}/${hook.review}, Kind=AdmissionReview`;
  const found = `${String(answer.apiVersion ?? '')}, Kind=${String(answer.kind ?? '')}`;
  const { response } = answer;
  if (!isJsonObject(response)) throw wrong('webhook response was absent');
  const isOld = hook.review === 'v1beta1';
  // v1beta1 does not require kind, apiVersion and uid
  if (!isOld && found !== expected) throw wrong(`expected webhook response of ${expected}, got ${found}`);
  if (!isOld && response.uid !== uid) {
    throw wrong(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  if (response.allowed !== undefined && typeof response.allowed !== 'boolean') {
    throw wrong('response.allowed is not a boolean');
  }
  return {
    allowed: response.allowed === true,
    status: isJsonObject(response.status) ? response.status : undefined,
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    annotations: annotationsIn(response),
    patchType: String(response.patchType ?? 'JSONPatch'),
    patch: patchIn(response, { isOld, mayPatch }),
  };
}

const ANNOTATION_KEY = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;

function annotationsIn({ auditAnnotations }: JsonObject): Array<readonly [string, string]> {
  if (!isJsonObject(auditAnnotations)) return [];
  return Object.entries(auditAnnotations).flatMap(([key, value]) =>
    ANNOTATION_KEY.test(key) && typeof value === 'string' ? [[key, value] as const] : [],
  );
}

function patchIn(response: JsonObject, { isOld, mayPatch }: { isOld: boolean; mayPatch: boolean }): Buffer {
  const { patch = '', patchType } = response;
  const has = patch !== '' && patch !== null;
  const wrong = (words: string) => new WebhookFailure(words);
  if (has && !mayPatch && !isOld) throw wrong('validating webhook may not return response.patch');
  if (has && typeof patch !== 'string') throw wrong('response.patch is not base64 text');
  const typed = patchType !== undefined && patchType !== null;
  if (!isOld) {
    if (has && !typed) throw wrong('webhook returned response.patch but not response.patchType');
    if (!has && typed) throw wrong('webhook returned response.patchType but not response.patch');
  }
  return has && mayPatch ? Buffer.from(patch as string, 'base64') : Buffer.alloc(0);
}

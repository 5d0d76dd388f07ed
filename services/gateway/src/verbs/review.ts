import { Query, type RequestInfo } from '@tidegate/request-info';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import type { User } from '../authn/user.ts';
import { authorize } from '../authz/authorize.ts';
import { objectAnswer } from '../codec/answer.ts';
import { decodeObject } from '../codec/decode-body.ts';
import type { ResourceRequest, VerbHandler } from '../gateway.ts';
import { admitObject } from '../rules/admit-object.ts';

/** A question that is answered in its own status; nothing is kept of it. */
type Review = (request: ResourceRequest, spec: JsonObject) => JsonObject;

const REVIEWS: Readonly<Record<string, Review>> = {
  'selfsubjectaccessreviews.authorization.k8s.io': ({ user }, spec) => access(user, spec),
  'subjectaccessreviews.authorization.k8s.io': (_request, spec) => access(subjectOf(spec), spec),
  'localsubjectaccessreviews.authorization.k8s.io': ({ info }, spec) => {
    const { namespace = '' } = (spec.resourceAttributes ?? {}) as JsonObject;
    if (namespace !== info.namespace) {
      throw badRequest('spec.resourceAttributes.namespace must be the namespace of the request');
    }
    return access(subjectOf(spec), spec);
  },
  'selfsubjectreviews.authentication.k8s.io': ({ user }) => ({
    userInfo: { username: user.name, uid: user.uid, groups: [...user.groups] },
  }),
};

const create: VerbHandler = async (_gateway, request) => {
  const { kind, body, contentType } = request;
  const review = REVIEWS[kind.storedAs] as Review;
  const object = admitObject(request, decodeObject(kind.schema, body, contentType));
  object.status = review(request, isJsonObject(object.spec) ? object.spec : {});
  return objectAnswer(request, 201, Buffer.from(JSON.stringify(object)));
};

const REVIEW_VERBS: Readonly<Record<string, VerbHandler>> = { create };

/** The verbs of a kind that is a question; undefined for kinds that are objects. */
export function reviewVerbs(storedAs: string): Readonly<Record<string, VerbHandler>> | undefined {
  return Object.hasOwn(REVIEWS, storedAs) ? REVIEW_VERBS : undefined;
}

function access(user: User, spec: JsonObject): JsonObject {
  const refused = authorize(user, isJsonObject(spec.nonResourceAttributes) ? otherOf(spec) : resourceOf(spec));
  return refused === undefined ? { allowed: true } : { allowed: false, reason: refused.message };
}

function subjectOf(spec: JsonObject): User {
  const groups = Array.isArray(spec.groups) ? spec.groups.map(String) : [];
  return { name: text(spec.user), uid: text(spec.uid), groups };
}

const NOTHING = { group: '', version: '', namespace: '', resource: '', subresource: '', name: '', path: '' };

function resourceOf(spec: JsonObject): RequestInfo {
  const asked = (spec.resourceAttributes ?? {}) as JsonObject;
  return {
    ...NOTHING,
    isResource: true,
    query: new Query(''),
    verb: text(asked.verb),
    group: text(asked.group),
    version: text(asked.version),
    namespace: text(asked.namespace),
    resource: text(asked.resource),
    subresource: text(asked.subresource),
    name: text(asked.name),
  };
}

function otherOf(spec: JsonObject): RequestInfo {
  const asked = spec.nonResourceAttributes as JsonObject;
  return { ...NOTHING, isResource: false, query: new Query(''), verb: text(asked.verb), path: text(asked.path) };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

import type { Kind } from '@tidegate/kinds';
import type { PolicyRule } from '@tidegate/rbac';
import type { RequestInfo } from '@tidegate/request-info';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { badRequest, type FieldError, invalid, invalidValue } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import type { BearerTokens } from '../authn/bearer-tokens.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { objectAnswer } from '../codec/answer.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { type User, userInfo } from '../request/user.ts';
import { digestOf } from '../tokens/token-authority.ts';
import { admitBody } from '../writing/admit-object.ts';

interface ReviewPorts {
  readonly admission: Pick<Admission, 'admitCreation'>;
  readonly authorizer: Authorizer;
  readonly tokens: BearerTokens;
}

/** Evaluates a review: the answer is its status, and nothing is stored. */
type Review = (ports: ReviewPorts, request: ResourceRequest, spec: JsonObject) => JsonObject | Promise<JsonObject>;

const REVIEWS: Readonly<Record<string, Review>> = {
  'selfsubjectaccessreviews.authorization.k8s.io': ({ authorizer }, { user }, spec) => access(authorizer, user, spec),
  'subjectaccessreviews.authorization.k8s.io': ({ authorizer }, _request, spec) =>
    access(authorizer, subjectOf(spec), spec),
  'localsubjectaccessreviews.authorization.k8s.io': ({ authorizer }, { info }, spec) => {
    const { namespace = '' } = (spec.resourceAttributes ?? {}) as JsonObject;
    if (namespace !== info.namespace) {
      throw badRequest('spec.resourceAttributes.namespace must be the namespace of the request');
    }
    return access(authorizer, subjectOf(spec), spec);
  },
  'selfsubjectreviews.authentication.k8s.io': (_ports, { user }) => ({ userInfo: userInfo(user) }),
  'selfsubjectrulesreviews.authorization.k8s.io': ({ authorizer }, { user }, spec) =>
    rulesOf(authorizer, user, text(spec.namespace)),
  'tokenreviews.authentication.k8s.io': ({ tokens }, _request, spec) => reviewToken(tokens, spec),
};

const create =
  (ports: ReviewPorts): VerbHandler =>
  async (request) => {
    const review = REVIEWS[request.kind.storedAs] as Review;
    const object = await ports.admission.admitCreation(request, admitBody(request));
    object.status = await review(ports, request, isJsonObject(object.spec) ? object.spec : {});
    return objectAnswer(request, 201, Buffer.from(JSON.stringify(object)));
  };

/** The verbs of review kinds. */
export const reviewVerbs = (ports: ReviewPorts): Verbs => ({ create: create(ports) });

export function isReview({ storedAs }: Kind): boolean {
  return Object.hasOwn(REVIEWS, storedAs);
}

async function access(authorizer: ReviewPorts['authorizer'], user: User, spec: JsonObject): Promise<JsonObject> {
  const wrong = reviewErrors(spec, user);
  if (wrong.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '', name: '' }, wrong);
  const info = isJsonObject(spec.nonResourceAttributes) ? otherOf(spec) : resourceOf(spec);
  const { allowed, denied, reason } = await authorizer.decide(user, info);
  return { allowed, ...(denied && { denied }), ...(reason !== '' && { reason }) };
}

/** A review must have exactly one subject matter, and a user or group. */
function reviewErrors({ resourceAttributes, nonResourceAttributes }: JsonObject, user: User): FieldError[] {
  const wrong: FieldError[] = [];
  if (isJsonObject(resourceAttributes) && isJsonObject(nonResourceAttributes)) {
    const why = 'cannot be specified in combination with resourceAttributes';
    wrong.push(invalidValue('spec.nonResourceAttributes', nonResourceAttributes, why));
  } else if (!isJsonObject(resourceAttributes) && !isJsonObject(nonResourceAttributes)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    wrong.push(invalidValue('spec.resourceAttributes', null, why));
  }
  if (user.name === '' && user.groups.length === 0) {
    wrong.push(invalidValue('spec.user', '', 'at least one of user or group must be specified'));
  }
  return wrong;
}

async function rulesOf(authorizer: ReviewPorts['authorizer'], user: User, namespace: string): Promise<JsonObject> {
  if (namespace === '') throw badRequest('no namespace on request');
  await authorizer.latest();
  const { rules, missing } = authorizer.rulesFor(user, namespace);
  const all = rules as unknown as readonly Required<PolicyRule>[];
  const resourceRules = all
    .filter(({ resources }) => resources?.length > 0)
    .map(({ nonResourceURLs, ...rule }) => rule as unknown as JsonObject);
  const nonResourceRules = all
    .filter(({ nonResourceURLs }) => nonResourceURLs?.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }));
  const evaluationError = missing === '' ? {} : { evaluationError: missing };
  return { resourceRules, nonResourceRules, incomplete: authorizer.hasMoreThanRules, ...evaluationError };
}

/** Authenticates a token. An invalid token is reported in the status, not as an error. */
async function reviewToken(tokens: BearerTokens, spec: JsonObject): Promise<JsonObject> {
  const token = text(spec.token);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const expected = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const result = await tokens.authenticate({ text: token, digest: digestOf(token) }, expected);
  if ('user' in result) {
    const { user, audiences } = result;
    return { authenticated: true, user: userInfo(user), ...(audiences.length > 0 && { audiences: [...audiences] }) };
  }
  const { refusals } = result;
  const why = 'invalid bearer token';
  return { user: {}, error: refusals.length === 0 ? why : `[${[why, ...refusals].join(', ')}]` };
}

function subjectOf(spec: JsonObject): User {
  const groups = Array.isArray(spec.groups) ? spec.groups.map(String) : [];
  return { name: text(spec.user), uid: text(spec.uid), groups };
}

function resourceOf(spec: JsonObject): RequestInfo {
  const attributes = (spec.resourceAttributes ?? {}) as JsonObject;
  return hypotheticalRequest({
    isResource: true,
    verb: text(attributes.verb),
    group: text(attributes.group),
    version: text(attributes.version),
    namespace: text(attributes.namespace),
    resource: text(attributes.resource),
    subresource: text(attributes.subresource),
    name: text(attributes.name),
  });
}

function otherOf(spec: JsonObject): RequestInfo {
  const attributes = spec.nonResourceAttributes as JsonObject;
  return hypotheticalRequest({ isResource: false, verb: text(attributes.verb), path: text(attributes.path) });
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

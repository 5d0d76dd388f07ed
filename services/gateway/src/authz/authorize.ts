import type { RequestInfo } from '@tidegate/request-info';
import { type ApiError, forbidden } from '@tidegate/status';
import { AUTHENTICATED, type User } from '../authn/user.ts';

/** Open to everybody: probes and the version, these paths exactly. */
const PUBLIC = new Set(['/livez', '/readyz', '/healthz', '/version', '/version/']);
/** Open to everybody who is somebody: what is served here, but nothing of what is in it. */
const DISCOVERY = /^\/(api|apis|openapi|openid|\.well-known)(\/|$)/;

/** Open to everybody who is somebody: questions about themselves. */
const OWN_QUESTIONS = new Set([
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
]);

/**
 * Who may do what, until roles decide it: members of system:masters everything, other users discovery and questions
 * about themselves, everybody the probes. Nothing else is open.
 */
export function authorize(user: User, info: RequestInfo): ApiError | undefined {
  if (user.groups.includes('system:masters')) return undefined;
  if (!info.isResource) {
    if (PUBLIC.has(info.path)) return undefined;
    const reading = info.verb === 'get' || info.verb === 'head';
    if (reading && DISCOVERY.test(info.path) && user.groups.includes(AUTHENTICATED)) return undefined;
    return forbidden({ user: user.name, verb: info.verb, path: info.path });
  }
  const { verb, group, resource, subresource, name, namespace } = info;
  const asksOfSelf = verb === 'create' && subresource === '' && OWN_QUESTIONS.has(`${resource}.${group}`);
  if (asksOfSelf && user.groups.includes(AUTHENTICATED)) return undefined;
  return forbidden({ user: user.name, verb, ref: { group, resource }, subresource, name, namespace });
}

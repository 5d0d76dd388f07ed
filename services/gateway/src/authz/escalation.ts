import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '@tidegate/kinds';
import { quotedTexts, readRules, rulesText, type Uncovered, uncovered } from '@tidegate/rbac';
import type { RequestInfo } from '@tidegate/request-info';
import type { JsonObject } from '@tidegate/schema';
import { forbiddenObject, notFound } from '@tidegate/status';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';
import { type Authorizer, EVERYTHING, MASTERS } from './authorizer.ts';
import { referred } from './binding.ts';
import { RBAC } from './policy-mirror.ts';
import { hypotheticalRequest } from './request-attributes.ts';

const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

/** The error lists at most 1000 rules; so many steps block the event loop for about 150 ms. */
const LIMITS = { most: 1000, steps: 2_000_000 };

type Asked = Pick<ResourceRequest, 'kind' | 'user' | 'info'>;

/** Whether a write may grant rights, so that it needs the current roles. */
export function mayGrant({ kind, user }: Asked): boolean {
  return grants(kind) && !user.groups.includes(MASTERS);
}

/** Loads what the check needs: the current roles, and the answers of webhooks. */
export async function readyForGrant(authorizer: Authorizer, request: Asked, object: JsonObject): Promise<void> {
  await authorizer.latest();
  const asked = exemption(request, object);
  if (asked !== undefined) await authorizer.decide(request.user, asked);
}

/** The right to grant more than one's own rights; undefined: the referenced object is no role. */
function exemption({ kind, info }: Asked, object: JsonObject): RequestInfo | undefined {
  const { resource } = kind.entry;
  const asked = { isResource: true, group: RBAC };
  if (ROLES.has(resource)) {
    return hypotheticalRequest({ ...asked, verb: 'escalate', resource, name: info.name, namespace: info.namespace });
  }
  const { kind: refKind, name, group } = roleRefIn(object);
  if (refKind !== 'Role' && refKind !== 'ClusterRole') return undefined;
  const namespace = kind.entry.namespaced ? info.namespace : '';
  return hypotheticalRequest({
    ...asked,
    verb: 'bind',
    group,
    resource: refKind === 'Role' ? 'roles' : 'clusterroles',
    name,
    namespace,
  });
}

function roleRefIn({ roleRef }: JsonObject): { kind: string; name: string; group: string } {
  const { kind = '', name = '', apiGroup: group = '' } = (roleRef ?? {}) as Record<string, string>;
  return { kind, name, group };
}

function grants({ entry: { group, resource } }: Kind): boolean {
  return group === RBAC && (ROLES.has(resource) || BINDINGS.has(resource));
}

/** Refuses to grant rights that the user does not have, unless the user has the verb `escalate` or `bind`. */
export function refuseEscalation(authorizer: Authorizer, request: Asked, object: JsonObject, old?: JsonObject): void {
  if (old !== undefined && isSameGrant(object, old)) return;
  if (ROLES.has(request.kind.entry.resource)) refuseRole(authorizer, request, object, old);
  else refuseBinding(authorizer, request, object);
}

/** Whether only the metadata differs that the garbage collector changes. */
function isSameGrant(object: JsonObject, old: JsonObject): boolean {
  return isDeepStrictEqual(compared(object), compared(old));
}

function compared({ metadata, ...content }: JsonObject): unknown {
  const { ownerReferences, finalizers, managedFields, selfLink, resourceVersion, ...rest } = metadata as JsonObject;
  return { ...content, metadata: rest };
}

function refuseRole(authorizer: Authorizer, request: Asked, object: JsonObject, old?: JsonObject): void {
  const { kind, user, info } = request;
  const asked = exemption(request, object);
  if (asked !== undefined && authorizer.decideNow(user, asked).allowed) return;
  const { rules: held, missing } = authorizer.rulesFor(user, info.namespace);
  const beyond = uncovered(held, readRules(object.rules), LIMITS);
  if (!isNothing(beyond)) throw refused(kind, object, escalationText(user, beyond, missing));
  const gathers = [object, old].some((one) => hasAggregation(one));
  if (gathers && !isNothing(uncovered(held, EVERYTHING, LIMITS))) {
    throw refused(kind, object, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function refuseBinding(authorizer: Authorizer, request: Asked, object: JsonObject): void {
  const asked = exemption(request, object);
  // validation refuses references to other kinds
  if (asked === undefined || authorizer.decideNow(request.user, asked).allowed) return;
  const { kind, user } = request;
  const { kind: refKind, name } = roleRefIn(object);
  const wanted = authorizer.rulesOf(referred({ kind: refKind as 'Role' | 'ClusterRole', name }, asked.namespace));
  if (wanted === undefined) throw notFound(kind.entry, name);
  const { rules: held, missing } = authorizer.rulesFor(user, asked.namespace);
  const beyond = uncovered(held, wanted, LIMITS);
  if (!isNothing(beyond)) throw refused(kind, object, escalationText(user, beyond, missing));
}

function hasAggregation(object: JsonObject | undefined): boolean {
  const { clusterRoleSelectors } = (object?.aggregationRule ?? {}) as { clusterRoleSelectors?: unknown[] | null };
  return (clusterRoleSelectors ?? []).length > 0;
}

function isNothing({ rules, isCut }: Uncovered): boolean {
  return rules.length === 0 && !isCut;
}

function escalationText({ name, groups }: User, { rules, isCut }: Uncovered, missing: string): string {
  const who = `user ${JSON.stringify(name)} (groups=${quotedTexts(groups)})`;
  const more = missing === '' ? '' : `; resolution errors: [${missing}]`;
  if (rules.length === 0) {
    return `${who} is attempting to grant more rules than can be compared with those that are held: grant fewer in one role${more}`;
  }
  const rest = isCut ? '\nand others' : '';
  return `${who} is attempting to grant RBAC permissions not currently held:\n${rulesText(rules)}${rest}${more}`;
}

function refused({ entry }: Kind, object: JsonObject, why: string) {
  const { name = '' } = object.metadata as { name?: string };
  return forbiddenObject(entry, name, why);
}

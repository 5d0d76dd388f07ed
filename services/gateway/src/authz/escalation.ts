import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '@tidegate/kinds';
import { type PolicyRule, toldRules, toldTexts, uncovered } from '@tidegate/rbac';
import type { JsonObject } from '@tidegate/schema';
import { forbiddenObject, notFound } from '@tidegate/status';
import type { User } from '../authn/user.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import { EVERYTHING, MASTERS } from './authorizer.ts';
import { referred } from './binding.ts';
import { RBAC } from './policy-mirror.ts';
import { question } from './question.ts';

const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

type Asked = Pick<ResourceRequest, 'kind' | 'user' | 'info'>;

/** Whether a write may give rights, so that roles must be known as they are now. */
export function mayGrant({ kind, user }: Asked): boolean {
  return grants(kind) && !user.groups.includes(MASTERS);
}

function grants({ entry: { group, resource } }: Kind): boolean {
  return group === RBAC && (ROLES.has(resource) || BINDINGS.has(resource));
}

/** Nobody gives others what they do not have, unless a role lets them: by the verbs `escalate` and `bind`. */
export function refuseEscalation(gateway: Gateway, request: Asked, object: JsonObject, old?: JsonObject): void {
  if (!mayGrant(request)) return;
  if (old !== undefined && isSameGrant(object, old)) return;
  if (ROLES.has(request.kind.entry.resource)) refuseRole(gateway, request, object, old);
  else refuseBinding(gateway, request, object);
}

/** Of what there is only that differs by which the garbage collector lets it go. */
function isSameGrant(object: JsonObject, old: JsonObject): boolean {
  return isDeepStrictEqual(compared(object), compared(old));
}

function compared({ metadata, ...content }: JsonObject): unknown {
  const { ownerReferences, finalizers, managedFields, selfLink, resourceVersion, ...rest } = metadata as JsonObject;
  return { ...content, metadata: rest };
}

function refuseRole({ authorizer }: Gateway, { kind, user, info }: Asked, object: JsonObject, old?: JsonObject): void {
  const { resource } = kind.entry;
  const asked = { isResource: true, group: RBAC, resource, name: info.name, namespace: info.namespace };
  if (authorizer.decide(user, question({ ...asked, verb: 'escalate' })).allowed) return;
  const { rules: held, missing } = authorizer.rulesFor(user, info.namespace);
  const beyond = uncovered(held, rulesIn(object));
  if (beyond.length > 0) throw refused(kind, object, toldEscalation(user, beyond, missing));
  const gathers = [object, old].some((one) => hasAggregation(one));
  if (gathers && uncovered(held, EVERYTHING).length > 0) {
    throw refused(kind, object, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function refuseBinding({ authorizer }: Gateway, { kind, user, info }: Asked, object: JsonObject): void {
  const { roleRef } = object as { roleRef?: { kind?: string; name?: string; apiGroup?: string } };
  const { kind: refKind = '', name = '', apiGroup: group = '' } = roleRef ?? {};
  // anything else is not a role, and refused as that
  if (refKind !== 'Role' && refKind !== 'ClusterRole') return;
  const namespace = kind.entry.namespaced ? info.namespace : '';
  const resource = refKind === 'Role' ? 'roles' : 'clusterroles';
  const asked = question({ isResource: true, verb: 'bind', group, resource, name, namespace });
  if (authorizer.decide(user, asked).allowed) return;
  const wanted = authorizer.rulesOf(referred({ kind: refKind, name }, namespace));
  if (wanted === undefined) throw notFound(kind.entry, name);
  const { rules: held, missing } = authorizer.rulesFor(user, namespace);
  const beyond = uncovered(held, wanted);
  if (beyond.length > 0) throw refused(kind, object, toldEscalation(user, beyond, missing));
}

function rulesIn({ rules }: JsonObject): readonly PolicyRule[] {
  return Array.isArray(rules) ? (rules as unknown as PolicyRule[]) : [];
}

function hasAggregation(object: JsonObject | undefined): boolean {
  const { clusterRoleSelectors = [] } = (object?.aggregationRule ?? {}) as { clusterRoleSelectors?: unknown[] };
  return clusterRoleSelectors.length > 0;
}

function toldEscalation({ name, groups }: User, beyond: readonly PolicyRule[], missing: string): string {
  const who = `user ${JSON.stringify(name)} (groups=${toldTexts(groups)})`;
  const more = missing === '' ? '' : `; resolution errors: [${missing}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${toldRules(beyond)}${more}`;
}

function refused({ entry }: Kind, object: JsonObject, why: string) {
  const { name = '' } = object.metadata as { name?: string };
  return forbiddenObject(entry, name, why);
}

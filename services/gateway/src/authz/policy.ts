import { indexKeysOf, type PolicyRule, type RuleAttributes, RuleIndex } from '@tidegate/rbac';
import type { User } from '../request/user.ts';
import { type Binding, type BindingSubject, bindingText, type RoleRef } from './binding.ts';

export interface Decision {
  readonly allowed: boolean;
  /** an authorizer denied explicitly, instead of having no opinion */
  readonly denied?: true;
  /** may be empty */
  readonly reason: string;
}

/** A role that exists or that a binding references. */
interface RoleSlot {
  readonly ref: RoleRef;
  rules: RuleIndex | undefined;
  /** how many bindings refer to it */
  uses: number;
}

/** One subject of one binding, and the role that it gets. */
interface Grant {
  readonly binding: Binding;
  readonly subject: BindingSubject;
  readonly role: RoleSlot;
}

/** Grants of one subject by namespace; those of the whole cluster are under "". */
type Grants = Map<string, Set<Grant>>;

const NOTHING: ReadonlySet<Grant> = new Set();
const WHOLE = [''];

/**
 * Decides by roles and bindings.
 *
 * Invariant: the index by subject holds exactly the grants of the known bindings, each with the current rules of its
 * role. A decision reads only the grants of one user and the user's groups.
 *
 *   RoleBinding a/read: Role x → User ann, Group dev
 *   #byUser.ann['a'] = { read → x }     #byGroup.dev['a'] = { read → x }     #roles['Role/a/x'] = its rules
 */
export class Policy {
  readonly #byUser = new Map<string, Grants>();
  readonly #byGroup = new Map<string, Grants>();
  readonly #grants = new Map<Binding, readonly Grant[]>();
  readonly #roles = new Map<string, RoleSlot>();

  /** Sets the rules of a role; undefined: it was deleted. */
  setRole(ref: RoleRef, rules: readonly PolicyRule[] | undefined): void {
    const slot = this.#slotOf(ref);
    slot.rules = rules && new RuleIndex(rules);
    this.#dropUnused(slot);
  }

  addBinding(binding: Binding): void {
    const role = this.#slotOf(binding.role);
    role.uses++;
    const grants = binding.subjects.map((subject) => ({ binding, subject, role }));
    this.#grants.set(binding, grants);
    for (const grant of grants) {
      const byNamespace = this.#grantsOf(grant.subject);
      const there = byNamespace.get(binding.namespace);
      if (there === undefined) byNamespace.set(binding.namespace, new Set([grant]));
      else there.add(grant);
    }
  }

  removeBinding(binding: Binding): void {
    for (const grant of this.#grants.get(binding) ?? []) {
      const { isGroup, key } = grant.subject;
      const index = isGroup ? this.#byGroup : this.#byUser;
      const byNamespace = index.get(key);
      const there = byNamespace?.get(binding.namespace);
      there?.delete(grant);
      if (there?.size === 0) byNamespace?.delete(binding.namespace);
      if (byNamespace?.size === 0) index.delete(key);
    }
    if (!this.#grants.delete(binding)) return;
    const role = this.#slotOf(binding.role);
    role.uses--;
    this.#dropUnused(role);
  }

  decide(user: User, namespace: string, attributes: RuleAttributes): Decision {
    const missing = new Set<RoleSlot>();
    const keys = indexKeysOf(attributes);
    const by = this.#find(user, namespace, ({ role }) => {
      if (role.rules === undefined) missing.add(role);
      return role.rules?.allow(attributes, keys) === true;
    });
    if (by !== undefined) return { allowed: true, reason: `RBAC: allowed by ${bindingText(by.binding, by.subject)}` };
    return { allowed: false, reason: missing.size === 0 ? '' : `RBAC: ${missingRolesText(missing)}` };
  }

  /** All rules that apply to a user in a namespace, and the missing roles of the user's bindings. */
  rulesFor(user: User, namespace: string): { rules: PolicyRule[]; missing: string } {
    const rules: PolicyRule[] = [];
    const missing = new Set<RoleSlot>();
    const grants: Grant[] = [];
    this.#find(user, namespace, (grant) => grants.push(grant) === 0);
    for (const { role } of grants.sort((a, b) => inOrder(a.binding, b.binding))) {
      if (role.rules === undefined) missing.add(role);
      else rules.push(...role.rules.rules);
    }
    return { rules, missing: missing.size === 0 ? '' : missingRolesText(missing) };
  }

  rulesOf(ref: RoleRef): readonly PolicyRule[] | undefined {
    return this.#roles.get(keyOf(ref))?.rules?.rules;
  }

  /** The first matching grant of a user; cluster-wide grants come before those of the namespace. */
  #find({ name, groups }: User, namespace: string, isWanted: (grant: Grant) => boolean): Grant | undefined {
    const own = this.#byUser.get(name);
    for (const place of namespace === '' ? WHOLE : ['', namespace]) {
      for (const grant of own?.get(place) ?? NOTHING) if (isWanted(grant)) return grant;
      for (const group of groups) {
        for (const grant of this.#byGroup.get(group)?.get(place) ?? NOTHING) if (isWanted(grant)) return grant;
      }
    }
    return undefined;
  }

  #grantsOf({ isGroup, key }: BindingSubject): Grants {
    const index = isGroup ? this.#byGroup : this.#byUser;
    const known = index.get(key);
    if (known !== undefined) return known;
    const made: Grants = new Map();
    index.set(key, made);
    return made;
  }

  #slotOf(ref: RoleRef): RoleSlot {
    const key = keyOf(ref);
    const known = this.#roles.get(key);
    if (known !== undefined) return known;
    const made: RoleSlot = { ref, rules: undefined, uses: 0 };
    this.#roles.set(key, made);
    return made;
  }

  #dropUnused({ ref, rules, uses }: RoleSlot): void {
    if (rules === undefined && uses === 0) this.#roles.delete(keyOf(ref));
  }
}

function inOrder(a: Binding, b: Binding): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}

function keyOf({ kind, namespace, name }: RoleRef): string {
  return `${kind}/${namespace}/${name}`;
}

function missingRolesText(missing: ReadonlySet<RoleSlot>): string {
  const texts = [...missing].map(
    ({ ref }) => `${ref.kind.toLowerCase()}.rbac.authorization.k8s.io "${ref.name}" not found`,
  );
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

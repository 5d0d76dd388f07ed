import { allows, type Deed, type PolicyRule } from '@tidegate/rbac';
import type { User } from '../authn/user.ts';
import { type Binding, type BindingSubject, type RoleRef, toldBinding } from './binding.ts';

export interface Decision {
  readonly allowed: boolean;
  /** somebody said so, and did not only leave it to others */
  readonly denied?: true;
  /** empty where there is nothing to say */
  readonly reason: string;
}

/** What a binding refers to, whether it is there or not. */
interface RoleSlot {
  readonly ref: RoleRef;
  rules: readonly PolicyRule[] | undefined;
  /** how many bindings refer to it */
  uses: number;
}

/** One subject of one binding, and what it gets by it. */
interface Grant {
  readonly binding: Binding;
  readonly subject: BindingSubject;
  readonly role: RoleSlot;
}

/** Grants of one subject by namespace; those of the whole cluster are under "". */
type Grants = Map<string, Set<Grant>>;

/**
 * Who may do what, by roles and bindings.
 *
 * Invariant: the index by subject holds exactly the grants of the bindings that are known, each with the role's rules as
 * they are now. A decision looks at the grants of one user and their groups, however many there are of others.
 *
 *   RoleBinding a/read: Role x → User ann, Group dev
 *   #byUser.ann['a'] = { read → x }     #byGroup.dev['a'] = { read → x }     #roles['Role/a/x'] = its rules
 */
export class Policy {
  readonly #byUser = new Map<string, Grants>();
  readonly #byGroup = new Map<string, Grants>();
  readonly #grants = new Map<Binding, readonly Grant[]>();
  readonly #roles = new Map<string, RoleSlot>();

  /** What a role says now; undefined: it is not there. */
  setRole(ref: RoleRef, rules: readonly PolicyRule[] | undefined): void {
    const slot = this.#slotOf(ref);
    slot.rules = rules;
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

  decide(user: User, namespace: string, deed: Deed): Decision {
    const missing = new Set<RoleSlot>();
    for (const grant of this.#grantsFor(user, namespace)) {
      const { rules } = grant.role;
      if (rules === undefined) missing.add(grant.role);
      else if (rules.some((rule) => allows(rule, deed))) {
        return { allowed: true, reason: `RBAC: allowed by ${toldBinding(grant.binding, grant.subject)}` };
      }
    }
    return { allowed: false, reason: missing.size === 0 ? '' : `RBAC: ${toldMissing(missing)}` };
  }

  /** All that a user may do in a namespace, and what is missing of what they were given. */
  rulesFor(user: User, namespace: string): { rules: PolicyRule[]; missing: string } {
    const rules: PolicyRule[] = [];
    const missing = new Set<RoleSlot>();
    const grants = [...this.#grantsFor(user, namespace)].sort((a, b) => inOrder(a.binding, b.binding));
    for (const { role } of grants) {
      if (role.rules === undefined) missing.add(role);
      else rules.push(...role.rules);
    }
    return { rules, missing: missing.size === 0 ? '' : toldMissing(missing) };
  }

  rulesOf(ref: RoleRef): readonly PolicyRule[] | undefined {
    return this.#roles.get(keyOf(ref))?.rules;
  }

  /** Those of the whole cluster first. */
  *#grantsFor({ name, groups }: User, namespace: string): Generator<Grant> {
    const own = this.#byUser.get(name);
    const shared = groups.flatMap((group) => this.#byGroup.get(group) ?? []);
    const places = namespace === '' ? [''] : ['', namespace];
    for (const place of places) {
      yield* own?.get(place) ?? [];
      for (const grants of shared) yield* grants.get(place) ?? [];
    }
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

function toldMissing(missing: ReadonlySet<RoleSlot>): string {
  const texts = [...missing].map(
    ({ ref }) => `${ref.kind.toLowerCase()}.rbac.authorization.k8s.io "${ref.name}" not found`,
  );
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

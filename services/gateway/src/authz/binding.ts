import type { JsonObject } from '@tidegate/schema';

export interface RoleRef {
  readonly kind: string;
  /** empty for a ClusterRole */
  readonly namespace: string;
  readonly name: string;
}

export interface BindingSubject {
  readonly isGroup: boolean;
  /** the name of the user or group; for a service account its full user name */
  readonly key: string;
  /** the subject as decisions show it */
  readonly text: string;
}

/** A RoleBinding, or a ClusterRoleBinding, which has no namespace. */
export interface Binding {
  readonly namespace: string;
  readonly name: string;
  readonly role: RoleRef;
  readonly subjects: readonly BindingSubject[];
}

interface BindingObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: ReadonlyArray<{ readonly kind: string; readonly name: string; readonly namespace?: string }>;
}

export function readBinding(object: JsonObject): Binding {
  const { metadata, roleRef, subjects = [] } = object as unknown as BindingObject;
  const { name, namespace = '' } = metadata;
  return {
    namespace,
    name,
    role: referred(roleRef, namespace),
    subjects: subjects.flatMap((subject) => readSubject(subject, namespace) ?? []),
  };
}

export function referred({ kind, name }: { kind: string; name: string }, namespace: string): RoleRef {
  return { kind, namespace: kind === 'Role' ? namespace : '', name };
}

type Subject = NonNullable<BindingObject['subjects']>[number];

/** undefined: an invalid subject. A service account without a namespace is in the binding's namespace. */
function readSubject({ kind, name, namespace }: Subject, own: string): BindingSubject | undefined {
  if (kind === 'User' || kind === 'Group') return { isGroup: kind === 'Group', key: name, text: `${kind} "${name}"` };
  const home = namespace || own;
  if (kind !== 'ServiceAccount' || home === '') return undefined;
  return { isGroup: false, key: `system:serviceaccount:${home}:${name}`, text: `ServiceAccount "${name}/${home}"` };
}

/** The binding that allows a request, in kube-apiserver's words. */
export function bindingText({ namespace, name, role }: Binding, subject: BindingSubject): string {
  const binding = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${binding} of ${role.kind} "${role.name}" to ${subject.text}`;
}

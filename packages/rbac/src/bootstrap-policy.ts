import { readFileSync } from 'node:fs';
import type { PolicyRule } from './policy-rule.ts';

/** A role or binding that every new cluster has. */
export interface BootstrapObject {
  readonly kind: 'ClusterRole' | 'Role' | 'ClusterRoleBinding' | 'RoleBinding';
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly object[] };
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: ReadonlyArray<{ readonly kind: string; readonly name: string; readonly namespace?: string }>;
}

/** The objects as recorded from kube-apiserver 1.35, roles first. */
export function bootstrapPolicy(): BootstrapObject[] {
  const file = new URL('../facts/bootstrap-policy.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as BootstrapObject[];
}

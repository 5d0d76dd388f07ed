import { readFileSync } from 'node:fs';
import type { FlowSchemaSpec } from './flow-schema.ts';
import type { PriorityLevelSpec } from './priority-level.ts';

/** A priority level or flow schema that every cluster has from its beginning. */
export type BootstrapFlowObject =
  | { readonly kind: 'PriorityLevelConfiguration'; readonly name: string; readonly spec: PriorityLevelSpec }
  | { readonly kind: 'FlowSchema'; readonly name: string; readonly spec: FlowSchemaSpec };

/** They are always what they are; the others are suggestions. Both kinds have one of each name. */
export const MANDATORY: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

/** Those of kube-apiserver 1.35, as they were recorded: levels first. */
export function bootstrapFlowObjects(): BootstrapFlowObject[] {
  const file = new URL('../facts/bootstrap.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as BootstrapFlowObject[];
}

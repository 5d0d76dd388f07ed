import { readFileSync } from 'node:fs';
import type { FlowSchemaSpec } from './flow-schema.ts';
import type { PriorityLevelSpec } from './priority-level.ts';

/** A priority level or flow schema that every cluster has from the start. */
export type BootstrapFlowObject =
  | { readonly kind: 'PriorityLevelConfiguration'; readonly name: string; readonly spec: PriorityLevelSpec }
  | { readonly kind: 'FlowSchema'; readonly name: string; readonly spec: FlowSchemaSpec };

/**
 * The names of the mandatory objects: their specs cannot be changed. There is a level and a schema with each name.
 * All other bootstrap objects are suggestions.
 */
export const MANDATORY: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

/** The bootstrap objects of kube-apiserver 1.35, as recorded: levels first. */
export function bootstrapFlowObjects(): BootstrapFlowObject[] {
  const file = new URL('../facts/bootstrap.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as BootstrapFlowObject[];
}

import { standardFinalizerProblems } from '../rules/metadata.ts';
import { labelKeyProblems } from '../rules/names.ts';
import type { Warnings } from './warn.ts';

/** Finalizers of custom kinds are called as their makers like; they hear of names that others could take, too. */
export const warnOfFinalizers: Warnings = ({ object: { metadata } }, tell, old) => {
  const before = new Set(finalizersOf(old?.metadata));
  for (const finalizer of finalizersOf(metadata)) {
    if (before.has(finalizer)) continue;
    const start = `metadata.finalizers: ${JSON.stringify(finalizer)}: `;
    for (const problem of labelKeyProblems(finalizer)) tell(start + problem);
    if (standardFinalizerProblems(finalizer).length === 0) continue;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    tell(
      `${start}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
};

function finalizersOf(metadata: unknown): string[] {
  return (metadata as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}

import { findingsAgainst, metaOf, type PodLevel, podLevelText } from '@tidegate/kinds';
import type { Lookups } from './plugin.ts';

/** Nobody waits for a look at more. */
const MOST = 3000;

/** What a level has against the pods that are there, in words for whoever brings it in: the same of many is said once. */
export async function violationsIn(lookups: Lookups, namespace: string, level: PodLevel): Promise<string[]> {
  const pods = await lookups.collections.objectsInStore('pods', namespace);
  const names = new Map<string, string[]>();
  for (const pod of pods.slice(0, MOST)) {
    const words = findingsAgainst(level, pod)
      .map(({ reason }) => reason)
      .join(', ');
    if (words !== '') names.set(words, [...(names.get(words) ?? []), metaOf(pod).name ?? '']);
  }
  const warnings: string[] = [];
  if (pods.length > MOST) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MOST} of ${pods.length} existing pods`,
    );
  }
  if (names.size > 0) {
    const text = podLevelText(level);
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${text}"`);
  }
  return [...warnings, ...[...names].map(([words, those]) => `${namesText(those)}: ${words}`).sort()];
}

function namesText(names: readonly string[]): string {
  const [first = '', ...others] = names.toSorted();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

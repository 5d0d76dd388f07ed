import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@tidegate/schema';
import { append, listOf, type Plugin, specOf } from './plugin.ts';

/** How long a pod stays on a node that is in trouble, where it does not say so itself. */
const SECONDS = 300;
const TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod stays for five minutes on a node that is not ready or cannot be reached. */
export const defaultTolerations: Plugin = {
  name: 'DefaultTolerationSeconds',
  concerns: ['CREATE pods', 'UPDATE pods'],
  mutate: ({ object }) => {
    const spec = specOf(object);
    const given = listOf(spec, 'tolerations');
    for (const key of TROUBLES) {
      const isTolerated = given.some(
        (one) => (!one.key || one.key === key) && (!one.effect || one.effect === 'NoExecute'),
      );
      if (isTolerated) continue;
      append(spec, 'tolerations', { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS });
    }
  },
};

/** Both lists, without those that another one of them covers. */
export function mergedTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  for (const [i, one] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, one)) ||
      all.slice(i + 1).some((other) => !isDeepStrictEqual(other, one) && covers(other, one));
    if (!isCovered) merged.push(one);
  }
  return merged;
}

function covers(wide: JsonObject, narrow: JsonObject): boolean {
  if (isDeepStrictEqual(wide, narrow)) return true;
  const isForAllKeys = !wide.key && wide.operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !isForAllKeys) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    const seconds = narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY;
    if (Number(seconds) > Number(wide.tolerationSeconds)) return false;
  }
  if (wide.operator === 'Exists') return true;
  return narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}

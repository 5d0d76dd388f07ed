import { type Json, type JsonObject, listOf } from '@tidegate/schema';
import { append, type Plugin, specOf } from './plugin.ts';

/** How long a pod stays on an unhealthy node, if it does not set this itself. */
const SECONDS = 300;
const UNHEALTHY = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Adds tolerations, so that a pod stays for five minutes on a node that is not ready or unreachable. */
export const defaultTolerations: Plugin = {
  name: 'DefaultTolerationSeconds',
  handles: ['CREATE pods', 'UPDATE pods'],
  mutate: ({ object }) => {
    const spec = specOf(object);
    const given = listOf(spec, 'tolerations');
    for (const key of UNHEALTHY) {
      const isTolerated = given.some(
        (one) => (!one.key || one.key === key) && (!one.effect || one.effect === 'NoExecute'),
      );
      if (isTolerated) continue;
      append(spec, 'tolerations', { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS });
    }
  },
};

/** Merges the lists without the tolerations that another one covers: an earlier one, or a wider later one. */
export function mergedTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second].map((toleration) => ({ toleration, text: textOf(toleration) }));
  const later = new Widest();
  const isCoveredLater = all
    .toReversed()
    .map((one) => {
      const isCovered = later.cover(one, true);
      later.add(one);
      return isCovered;
    })
    .reverse();
  const taken = new Widest();
  const merged: JsonObject[] = [];
  for (const [i, one] of all.entries()) {
    if (taken.has(one.text) || taken.cover(one, false) || isCoveredLater[i]) continue;
    taken.add(one);
    merged.push(one.toleration);
  }
  return merged;
}

interface Keyed {
  readonly toleration: JsonObject;
  readonly text: string;
}

interface Wide {
  readonly text: string;
  readonly seconds: number;
}

/**
 * Tolerations grouped by what they cover (a key or all, an effect or all, a value or all) with their duration.
 *
 * Invariant: each group keeps the longest toleration, and the longest of those that differ from it.
 */
class Widest {
  readonly #texts = new Set<string>();
  readonly #groups = new Map<string, readonly [Wide, Wide | undefined]>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add({ toleration, text }: Keyed): void {
    this.#texts.add(text);
    const { key, operator, effect = '', value = '', tolerationSeconds } = toleration;
    const isForAllKeys = !key && operator === 'Exists';
    const isTimed = effect === 'NoExecute' && tolerationSeconds !== undefined;
    const one: Wide = { text, seconds: isTimed ? Number(tolerationSeconds) : Number.POSITIVE_INFINITY };
    const group = groupOf(isForAllKeys ? null : (key ?? ''), effect, operator === 'Exists' ? null : value);
    const [longest, next] = this.#groups.get(group) ?? [one, undefined];
    if (longest.text === text) this.#groups.set(group, [longest, next]);
    else if (one.seconds > longest.seconds) this.#groups.set(group, [one, longest]);
    else if (next === undefined || one.seconds > next.seconds) this.#groups.set(group, [longest, one]);
  }

  /** Whether one of them covers it; with `byOther`, one that differs from it. */
  cover({ toleration, text }: Keyed, byOther: boolean): boolean {
    const { key, operator, effect = '', value = '', tolerationSeconds } = toleration;
    const seconds = Number(tolerationSeconds ?? Number.POSITIVE_INFINITY);
    const values = operator === 'Equal' ? [null, value] : [null];
    return [null, key ?? ''].some((ofKey) =>
      [...new Set(['', effect])].some((ofEffect) =>
        values.some((ofValue) => {
          const wide = this.#groups.get(groupOf(ofKey, ofEffect, ofValue)) ?? [];
          return wide.some((one) => one !== undefined && !(byOther && one.text === text) && seconds <= one.seconds);
        }),
      ),
    );
  }
}

function groupOf(...parts: readonly (Json | null)[]): string {
  return JSON.stringify(parts);
}

/** A normalized text: equal for equal tolerations. */
function textOf(toleration: JsonObject): string {
  return JSON.stringify(Object.entries(toleration).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const KEY = 'node.kubernetes.io/not-ready';
const EFFECT = 'NoSchedule';

/** Taints a new node as not ready, so that nothing is scheduled on it before the node controller removes the taint. */
export const newNodes: Plugin = {
  name: 'TaintNodesByCondition',
  handles: ['CREATE nodes'],
  mutate: ({ object }) => {
    object.spec ??= {};
    const spec = specOf(object);
    const isTainted = listOf(spec, 'taints').some(({ key, effect }) => key === KEY && effect === EFFECT);
    if (!isTainted) append(spec, 'taints', { key: KEY, effect: EFFECT });
  },
};

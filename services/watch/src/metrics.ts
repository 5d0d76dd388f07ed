import type { WindowMemory } from '@tidegate/collection';
import type { MetricRegistry } from '@tidegate/service-kit';

/** Values that are read when metrics are collected. */
interface Held {
  objects: () => number;
  /** by resource, as keys in the store name it */
  sizes: () => Iterable<readonly [resource: string, objects: number]>;
  windows: () => WindowMemory;
}

/** Every metric of the watch service, declared once. */
export function declareMetrics(registry: MetricRegistry, held: Held) {
  return {
    revision: registry.gauge({ name: 'tidegate_watch_revision', help: 'The feed is complete through this revision.' }),
    changes: registry.counter({ name: 'tidegate_watch_changes_total', help: 'Changes applied.' }),
    gapFills: registry.counter({
      name: 'tidegate_watch_gap_fills_total',
      help: 'Reads of the log because the bus was late, lost something or is away.',
    }),
    resyncs: registry.counter({
      name: 'tidegate_watch_resyncs_total',
      help: 'Rebuilds of every collection from the store.',
    }),
    followers: registry.gauge({ name: 'tidegate_watch_followers', help: 'Open follow streams.' }),
    corruptObjects: registry.gauge({
      name: 'tidegate_watch_corrupt_objects',
      help: 'Objects that are stored and cannot be read.',
    }),
    comparisons: registry.counter({
      name: 'tidegate_watch_comparisons_total',
      help: 'Comparisons of everything held here with the store.',
    }),
    divergences: registry.counter({
      name: 'tidegate_watch_divergences_total',
      help: 'Collections that differed from the store when they were compared, and were read anew.',
      labelNames: ['resource'] as const,
    }),
    objects: registry.gauge({
      name: 'tidegate_watch_objects',
      help: 'Objects held, all collections together.',
      collect() {
        this.set(held.objects());
      },
    }),
    resourceObjects: registry.gauge({
      name: 'apiserver_resource_objects',
      help: 'Objects held, by group and resource as they are stored.',
      labelNames: ['group', 'resource'] as const,
      collect() {
        this.reset();
        for (const [stored, objects] of held.sizes()) this.set(groupAndResource(stored), objects);
      },
    }),
    windowBytes: registry.gauge({
      name: 'tidegate_watch_window_bytes',
      help: 'Bytes that history alone keeps alive.',
      collect() {
        this.set(held.windows().bytes);
      },
    }),
    windowSeconds: registry.gauge({
      name: 'tidegate_watch_window_seconds',
      help: 'How far back the window reaches that memory has shortened most; 300 when none is shortened.',
      collect() {
        this.set(held.windows().reachMs() / 1000);
      },
    }),
  };
}

/** Splits `deployments.apps` into the resource and its group. */
function groupAndResource(stored: string): { group: string; resource: string } {
  const dot = stored.indexOf('.');
  return dot < 0 ? { group: '', resource: stored } : { group: stored.slice(dot + 1), resource: stored.slice(0, dot) };
}

export type WatchMetrics = ReturnType<typeof declareMetrics>;

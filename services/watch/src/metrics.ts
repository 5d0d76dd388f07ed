import type { WindowMemory } from '@tidegate/collection';
import type { MetricRegistry } from '@tidegate/service-kit';

/** Values that are read when metrics are collected. */
interface MetricSources {
  objects: () => number;
  /** by resource, as keys in the store name it */
  sizes: () => Iterable<readonly [resource: string, objects: number]>;
  windows: () => WindowMemory;
}

/** All metrics of the watch service, each declared once. */
export function declareMetrics(registry: MetricRegistry, sources: MetricSources) {
  return {
    revision: registry.gauge({ name: 'tidegate_watch_revision', help: 'The feed is complete through this revision.' }),
    changes: registry.counter({ name: 'tidegate_watch_changes_total', help: 'Changes applied.' }),
    gapFills: registry.counter({
      name: 'tidegate_watch_gap_fills_total',
      help: 'Reads of the log because the bus was late, lost a change or could not be reached.',
    }),
    resyncs: registry.counter({
      name: 'tidegate_watch_resyncs_total',
      help: 'Rebuilds of every collection from the store.',
    }),
    followers: registry.gauge({ name: 'tidegate_watch_followers', help: 'Open follow streams.' }),
    corruptObjects: registry.gauge({
      name: 'tidegate_watch_corrupt_objects',
      help: 'Stored objects that cannot be read.',
    }),
    comparisons: registry.counter({
      name: 'tidegate_watch_comparisons_total',
      help: 'Comparisons of all collections with the store.',
    }),
    divergences: registry.counter({
      name: 'tidegate_watch_divergences_total',
      help: 'Collections that differed from the store in a comparison, and were read again.',
      labelNames: ['resource'] as const,
    }),
    objects: registry.gauge({
      name: 'tidegate_watch_objects',
      help: 'Objects in all collections together.',
      collect() {
        this.set(sources.objects());
      },
    }),
    resourceObjects: registry.gauge({
      name: 'apiserver_resource_objects',
      help: 'Objects in each collection, by the stored group and resource.',
      labelNames: ['group', 'resource'] as const,
      collect() {
        this.reset();
        for (const [stored, objects] of sources.sizes()) this.set(groupAndResource(stored), objects);
      },
    }),
    windowBytes: registry.gauge({
      name: 'tidegate_watch_window_bytes',
      help: 'Bytes that only the history uses.',
      collect() {
        this.set(sources.windows().bytes);
      },
    }),
    windowSeconds: registry.gauge({
      name: 'tidegate_watch_window_seconds',
      help: 'Length of the shortest window; 300 unless memory has shortened one.',
      collect() {
        this.set(sources.windows().reachMs() / 1000);
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

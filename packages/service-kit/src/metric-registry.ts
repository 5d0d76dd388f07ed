import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Metric,
  Registry,
} from 'prom-client';
import type { Sample } from './histogram-tally.ts';
import { LOOP_SAMPLE_MS } from './loop-sample.ts';
import { prefersOpenMetrics } from './open-metrics.ts';

/** prom-client's constructor accepts the format, which its types leave out. */
const OpenMetricsRegistry = Registry as unknown as new (contentType: string) => Registry;

/** A metric whose values are read when metrics are collected. */
interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: () => Sample[];
}

interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

/** The values of a prom-client metric; its types leave this out. */
type Snapshot = Record<'name' | 'help' | 'type', string> & { values: unknown[] };
interface SnapshotSource {
  getForPromString?(): Promise<Snapshot>;
  get(): Promise<Snapshot>;
}

/** The metrics of one process. Each part declares them once, in its metrics.ts, with labels of bounded cardinality. */
export class MetricRegistry {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }

  counter<L extends string>(options: CounterConfiguration<L>): Counter<L> {
    return new Counter({ ...options, registers: [this.#registry] });
  }

  gauge<L extends string>(options: GaugeConfiguration<L>): Gauge<L> {
    return new Gauge({ ...options, registers: [this.#registry] });
  }

  histogram<L extends string>(options: HistogramConfiguration<L>): Histogram<L> {
    return new Histogram({ ...options, registers: [this.#registry] });
  }

  collected({ samples, ...metric }: CollectedMetric): void {
    const get = async () => ({ ...metric, values: samples() });
    this.#registry.registerMetric({ name: metric.name, get } as unknown as Metric);
  }

  /** All metrics in the format that the caller prefers. Only OpenMetrics can have exemplars. */
  async exposition(accept: string | undefined): Promise<Exposition> {
    const registry = prefersOpenMetrics(accept) ? this.#asOpenMetrics() : this.#registry;
    return { text: await registry.metrics(), contentType: registry.contentType };
  }

  /**
   * In OpenMetrics a counter's name ends with _total, and prom-client permanently renames counters without it.
   * Kubernetes' dashboards know some counters without _total, so those are exported with the type unknown and keep
   * their names.
   */
  #asOpenMetrics(): Registry {
    const registry = new OpenMetricsRegistry(Registry.OPENMETRICS_CONTENT_TYPE);
    for (const metric of this.#registry.getMetricsAsArray() as unknown as Array<SnapshotSource & { name: string }>) {
      const get = async () => {
        const snapshot = await (metric.getForPromString?.() ?? metric.get());
        if (snapshot.type !== 'counter') return snapshot;
        if (!snapshot.name.endsWith('_total')) return { ...snapshot, type: 'unknown' };
        return { ...snapshot, name: snapshot.name.slice(0, -'_total'.length) };
      };
      registry.registerMetric({ name: metric.name, get } as unknown as Metric);
    }
    return registry;
  }
}

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
import { LOOP_LOOK_MS } from './loop-look.ts';
import { prefersOpenMetrics } from './open-metrics.ts';

/** prom-client takes the format here, which its types leave out. */
const OpenMetricsRegistry = Registry as unknown as new (contentType: string) => Registry;

/** A metric whose values are kept elsewhere, and looked at when somebody asks. */
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

/** What prom-client's metrics tell of themselves; its own types leave it out. */
type Told = Record<'name' | 'help' | 'type', string> & { values: unknown[] };
interface Teller {
  getForPromString?(): Promise<Told>;
  get(): Promise<Told>;
}

/** The metrics of one process. Parts declare theirs in their metrics.ts, each once, with labels of bounded values only. */
export class MetricRegistry {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
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

  collected({ samples, ...told }: CollectedMetric): void {
    const get = async () => ({ ...told, values: samples() });
    this.#registry.registerMetric({ name: told.name, get } as unknown as Metric);
  }

  /** In the format that the caller prefers. Exemplars are told in OpenMetrics only: the plain one has no place for them. */
  async exposition(accept: string | undefined): Promise<Exposition> {
    const registry = prefersOpenMetrics(accept) ? this.#asOpenMetrics() : this.#registry;
    return { text: await registry.metrics(), contentType: registry.contentType };
  }

  /**
   * There a counter's name ends with _total. prom-client appends that, for good, to those that do not; one that is known
   * without it to Kubernetes' dashboards is told as of no known type instead, so that each has one name in both formats.
   */
  #asOpenMetrics(): Registry {
    const registry = new OpenMetricsRegistry(Registry.OPENMETRICS_CONTENT_TYPE);
    for (const metric of this.#registry.getMetricsAsArray() as unknown as Array<Teller & { name: string }>) {
      const get = async () => {
        const told = await (metric.getForPromString?.() ?? metric.get());
        if (told.type !== 'counter') return told;
        if (!told.name.endsWith('_total')) return { ...told, type: 'unknown' };
        return { ...told, name: told.name.slice(0, -'_total'.length) };
      };
      registry.registerMetric({ name: metric.name, get } as unknown as Metric);
    }
    return registry;
  }
}

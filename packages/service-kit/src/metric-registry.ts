import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/** The metrics of one process. Parts declare theirs in their metrics.ts, each once, with labels of bounded values only. */
export class MetricRegistry {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
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

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}

interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** in seconds since 1970 */
  readonly timestamp: number;
}

/** One line of a metric in prom-client's form. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
  readonly exemplar?: Exemplar;
}

/**
 * Counts values by the bounds of a histogram; the last bound is infinite. It costs a few comparisons per value, whereas
 * prom-client looks up a histogram by all its labels each time.
 *
 * Invariant: `#counts[i]` counts the values in (bounds[i - 1], bounds[i]]; `samples` makes them cumulative.
 */
export class HistogramTally {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #exemplars: Array<Exemplar | undefined> | undefined;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** @param traceId the trace of the request with this value, which becomes an exemplar */
  observe(value: number, traceId?: string): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
    if (traceId === undefined) return;
    this.#exemplars ??= new Array(bounds.length + 1);
    this.#exemplars[at] = { labelSet: { trace_id: traceId }, value, timestamp: Date.now() / 1000 };
  }

  /** Empty if nothing was observed. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    let below = 0;
    const samples = Array.from(this.#counts, (count, at): Sample => {
      below += count;
      const le = this.#bounds[at] ?? '+Inf';
      const exemplar = this.#exemplars?.[at];
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le },
        value: below,
        ...(exemplar !== undefined && { exemplar }),
      };
    });
    if (below === 0) return [];
    samples.push({ metricName: `${name}_sum`, labels, value: this.#sum });
    samples.push({ metricName: `${name}_count`, labels, value: below });
    return samples;
  }
}

import type { FlowTally, Seats } from '@tidegate/flow-control';
import type { MetricRegistry } from '@tidegate/service-kit';

const LABELS = ['priority_level', 'flow_schema'] as const;
const WAIT_SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const SERVE_SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

type Tallies = ReadonlyMap<string, { readonly level: string; readonly schema: string; readonly tally: FlowTally }>;

/** The metrics of flow control, with kube-apiserver's names. */
export class FlowMetrics {
  readonly #tallies = new Map<string, { readonly level: string; readonly schema: string; readonly tally: FlowTally }>();
  readonly #counters: ReturnType<typeof declareCounters>;

  constructor(registry: MetricRegistry, seats: Seats) {
    this.#counters = declareCounters(registry);
    declareFlowGauges(registry, this.#tallies);
    declareLevelGauges(registry, seats);
  }

  tallyOf(level: string, schema: string): FlowTally {
    const key = `${level}\0${schema}`;
    let known = this.#tallies.get(key);
    if (known === undefined) {
      known = { level, schema, tally: this.#makeTally(level, schema) };
      this.#tallies.set(key, known);
    }
    return known.tally;
  }

  #makeTally(level: string, schema: string): FlowTally {
    const labels = { priority_level: level, flow_schema: schema };
    const { rejected, waited, served } = this.#counters;
    // cached, because finding a metric by its labels costs more than counting
    const servedTime = served.labels({ ...labels, type: 'regular' });
    const seatedWait = waited.labels({ ...labels, execute: 'true' });
    const refusedWait = waited.labels({ ...labels, execute: 'false' });
    return {
      executing: 0,
      executingSeats: 0,
      waiting: 0,
      waitingSeats: 0,
      dispatched: 0,
      rejected: (reason) => rejected.labels({ ...labels, reason }).inc(),
      waited: (seconds, isSeated) => (isSeated ? seatedWait : refusedWait).observe(seconds),
      served: (seconds) => servedTime.observe(seconds),
    };
  }
}

function declareCounters(registry: MetricRegistry) {
  return {
    rejected: registry.counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Requests that were rejected because no seat became free, by reason.',
      labelNames: [...LABELS, 'reason'],
    }),
    waited: registry.histogram({
      name: 'apiserver_flowcontrol_request_wait_duration_seconds',
      help: 'How long requests were in a queue; those that were seated at once are not counted.',
      labelNames: [...LABELS, 'execute'],
      buckets: WAIT_SECONDS,
    }),
    served: registry.histogram({
      name: 'apiserver_flowcontrol_request_execution_seconds',
      help: 'How long requests held their seats.',
      labelNames: [...LABELS, 'type'],
      buckets: SERVE_SECONDS,
    }),
  };
}

function declareFlowGauges(registry: MetricRegistry, tallies: Tallies): void {
  registry.counter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Requests that got their seats.',
    labelNames: LABELS,
    // a plain number that is read on each scrape costs less per request than a counter
    collect() {
      this.reset();
      for (const { level, schema, tally } of tallies.values())
        this.inc({ priority_level: level, flow_schema: schema }, tally.dispatched);
    },
  });
  const gauge = (name: string, help: string, value: (tally: FlowTally) => number) =>
    registry.gauge({
      name: `apiserver_flowcontrol_${name}`,
      help,
      labelNames: LABELS,
      collect() {
        for (const { level, schema, tally } of tallies.values())
          this.set({ priority_level: level, flow_schema: schema }, value(tally));
      },
    });
  gauge('current_inqueue_requests', 'Requests that wait in queues.', ({ waiting }) => waiting);
  gauge('current_inqueue_seats', 'Seats that those wait for.', ({ waitingSeats }) => waitingSeats);
  gauge('current_executing_requests', 'Requests that hold seats.', ({ executing }) => executing);
  gauge('current_executing_seats', 'Seats that those hold.', ({ executingSeats }) => executingSeats);
}

function declareLevelGauges(registry: MetricRegistry, seats: Seats): void {
  type Level = typeof seats.levels extends Iterable<infer L> ? L : never;
  const gauge = (name: string, help: string, value: (level: Level) => number) =>
    registry.gauge({
      name: `apiserver_flowcontrol_${name}`,
      help,
      labelNames: ['priority_level'],
      collect() {
        this.reset();
        for (const level of seats.levels) this.set({ priority_level: level.name }, value(level));
      },
    });
  gauge('nominal_limit_seats', 'Seats that are a level’s own, as configured.', ({ configured }) => configured);
  gauge('current_limit_seats', 'The same as this process can serve them at present.', ({ nominal }) => nominal);
  gauge('lower_limit_seats', 'What of them at present a level never lends.', ({ lower }) => lower);
  gauge('upper_limit_seats', 'What a level may have at present with what it borrows.', ({ upper }) => upper);
  registry.gauge({
    name: 'tidegate_gateway_seats',
    help: 'Seats of all levels that this process can serve at present; fewer than configured while its loop is late.',
    collect() {
      this.set(seats.seats);
    },
  });
}

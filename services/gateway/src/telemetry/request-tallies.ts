import type { Kind } from '@tidegate/kinds';
import { HistogramTally, type MetricRegistry, type Sample } from '@tidegate/service-kit';
import type { RequestNotes } from '../request/resource-request.ts';
import {
  dryRunLabel,
  isKnown,
  type LabelledInfo,
  type RequestLabels,
  requestLabels,
  scopeLabel,
  verbLabel,
} from './request-labels.ts';

export type FindKind = (group: string, version: string, resource: string) => Kind | undefined;

interface Ended {
  readonly code: number;
  readonly endedMs: number;
  /** the size of the body; undefined: unknown or not measured */
  readonly bytes: number | undefined;
  /** it was refused or aborted by flow control or limits */
  readonly isTerminated: boolean;
}

interface Tally {
  readonly labels: RequestLabels;
  readonly codes: Map<number, number>;
  readonly terminations: Map<number, number>;
  readonly seconds: HistogramTally;
  readonly ownSeconds: HistogramTally;
  readonly bytes: HistogramTally;
  /** open long-running requests */
  open: number;
}

// Kubernetes' buckets begin at 5 ms, and most requests here are faster: two smaller buckets are added
const SECONDS = [0.001, 0.0025, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3].concat([
  4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]);
const OWN_SECONDS = SECONDS.filter((bound) => bound >= 0.05);
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/**
 * Counts requests, with the names and labels of kube-apiserver.
 *
 * Invariant: only served resources become labels. Tallies are found by one string key and become metrics on each
 * scrape, because finding metrics by their labels would cost more than many requests do.
 */
export class RequestTallies {
  readonly #tallies = new Map<string, Tally>();
  readonly #find: FindKind;

  constructor(registry: MetricRegistry, find: FindKind) {
    this.#find = find;
    declareRequestMetrics(registry, this.#tallies);
  }

  /** The tally of all requests with the same labels. */
  of(info: LabelledInfo, contentType: string | undefined): Tally {
    const verb = verbLabel(info, contentType);
    const scope = scopeLabel(info);
    const dryRun = dryRunLabel(info);
    const { group, version, resource, subresource } = info;
    const key = `${verb} ${scope} ${dryRun} ${group}/${version}/${resource}/${subresource}`;
    const found = this.#tallies.get(key);
    if (found !== undefined) return found;
    const known = isKnown(this.#find(group, version, resource), info);
    const labels = requestLabels(info, { verb, scope, dryRun, isKnown: known });
    if (known) return this.#kept(key, labels);
    return this.#kept(`${verb} ${scope} ${dryRun} unknown`, labels);
  }

  #kept(key: string, labels: RequestLabels): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = newTally(labels);
      this.#tallies.set(key, tally);
    }
    return tally;
  }
}

/** Counts a completed request. */
export function countEnd(tally: Tally, notes: RequestNotes, { code, endedMs, bytes, isTerminated }: Ended): void {
  const ms = endedMs - notes.startedMs;
  tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1);
  tally.seconds.observe(ms / 1000, notes.traceId);
  if (tally.labels.dry_run === '') {
    tally.ownSeconds.observe(Math.max(0, ms - notes.queuedMs - notes.webhooksMs) / 1000);
  }
  if (bytes !== undefined && (tally.labels.verb === 'GET' || tally.labels.verb === 'LIST')) {
    tally.bytes.observe(bytes);
  }
  if (isTerminated) tally.terminations.set(code, (tally.terminations.get(code) ?? 0) + 1);
}

function newTally(labels: RequestLabels): Tally {
  return {
    labels,
    codes: new Map(),
    terminations: new Map(),
    seconds: new HistogramTally(SECONDS),
    ownSeconds: new HistogramTally(OWN_SECONDS),
    bytes: new HistogramTally(BYTES),
    open: 0,
  };
}

function declareRequestMetrics(registry: MetricRegistry, tallies: ReadonlyMap<string, Tally>): void {
  const collected = (
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    samplesOf: (tally: Tally, name: string) => Sample[],
  ) =>
    registry.collected({
      name,
      help,
      type,
      samples: () => merged([...tallies.values()].flatMap((tally) => samplesOf(tally, name))),
    });
  collected('counter', 'apiserver_request_total', 'Requests for resources, by the code of their answer.', (tally) =>
    byCode(tally.codes, tally.labels),
  );
  collected(
    'histogram',
    'apiserver_request_duration_seconds',
    'How long requests took from their head to their answer; watches and streams to their end.',
    (tally, name) => tally.seconds.samples(name, tally.labels),
  );
  collected(
    'histogram',
    'apiserver_request_sli_duration_seconds',
    'The same without the time spent in queues and at admission webhooks, and without dry runs.',
    (tally, name) => tally.ownSeconds.samples(name, withoutDryRun(tally)),
  );
  collected(
    'histogram',
    'apiserver_response_sizes',
    'Bytes of answers to gets and lists, as they were sent.',
    (tally, name) => tally.bytes.samples(name, withoutDryRun(tally)),
  );
  collected(
    'counter',
    'apiserver_request_terminations_total',
    'Requests that were rejected or aborted to protect other requests: too many at a time, or timed out.',
    (tally) => byCode(tally.terminations, withoutDryRun(tally)),
  );
  collected('gauge', 'apiserver_longrunning_requests', 'Watches and streams that are open.', (tally) =>
    isLong(tally) ? [{ labels: withoutDryRun(tally), value: tally.open }] : [],
  );
}

function withoutDryRun({ labels }: Tally): Sample['labels'] {
  const { dry_run: _, ...rest } = labels;
  return rest;
}

/** Merges tallies for metrics that lack a label. */
function merged(samples: readonly Sample[]): Sample[] {
  const byLabels = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.metricName, sample.labels]);
    const before = byLabels.get(key);
    byLabels.set(key, before === undefined ? sample : { ...before, value: before.value + sample.value });
  }
  return [...byLabels.values()];
}

function isLong({ labels: { verb } }: Tally): boolean {
  return verb === 'WATCH' || verb === 'CONNECT';
}

function byCode(counts: ReadonlyMap<number, number>, labels: Sample['labels']): Sample[] {
  return Array.from(counts, ([code, value]) => ({ labels: { ...labels, code }, value }));
}

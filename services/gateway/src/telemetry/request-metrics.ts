import { READ_ONLY } from '@tidegate/request-info';
import type { MetricRegistry, Sample } from '@tidegate/service-kit';
import { ApiError } from '@tidegate/status';
import type { User } from '../request/user.ts';
import { type FindKind, RequestTallies } from './request-tallies.ts';

const CLUSTER_USERS = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

/** What is counted of every request, whoever sends it. */
export class RequestMetrics {
  readonly tallies: RequestTallies;
  readonly inFlight = new InFlight();
  readonly #attempts = new Counts('result', ['success', 'failure', 'error']);
  readonly #users = new Counts('username', ['other']);
  readonly #decisions = new Counts('result', ['allowed', 'denied', 'no-opinion']);

  constructor(registry: MetricRegistry, find: FindKind) {
    this.tallies = new RequestTallies(registry, find);
    const counter = (name: string, help: string, counts: Counts) =>
      registry.collected({ name, help, type: 'counter', samples: () => counts.samples() });
    counter('authentication_attempts', 'Requests by whether it became known who sends them.', this.#attempts);
    counter(
      'authenticated_user_requests',
      'Requests of who is known, by a few names that every cluster has; all others are other or email_id.',
      this.#users,
    );
    counter('authorization_attempts_total', 'Requests by whether they may do what they ask for.', this.#decisions);
    registry.collected({
      name: 'apiserver_current_inflight_requests',
      help: 'The most requests that were served at a time within the last second or two, watches and streams apart.',
      type: 'gauge',
      samples: () => {
        const now = performance.now();
        const { readOnly, mutating } = this.inFlight;
        return [
          { labels: { request_kind: 'readOnly' }, value: readOnly.at(now) },
          { labels: { request_kind: 'mutating' }, value: mutating.at(now) },
        ];
      },
    });
  }

  knows({ name }: User): void {
    this.#attempts.add('success');
    this.#users.add(usernameLabel(name));
  }

  doesNotKnow(error: unknown): void {
    this.#attempts.add(error instanceof ApiError && error.code === 401 ? 'failure' : 'error');
  }

  allowed(): void {
    this.#decisions.add('allowed');
  }

  /** `isDenied`: somebody said no, and did not only leave it to others. */
  refused(isDenied: boolean): void {
    this.#decisions.add(isDenied ? 'denied' : 'no-opinion');
  }
}

/** As kube-apiserver shortens them: names that anybody may have would grow the metrics. */
function usernameLabel(name: string): string {
  if (CLUSTER_USERS.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

/** How often each of a few words was said: as a counter with one label, at the cost of a look into a map. */
export class Counts {
  readonly #label: string;
  readonly #counts: Map<string, number>;

  constructor(label: string, words: readonly string[]) {
    this.#label = label;
    // what did not happen yet is told as 0, so that rates begin with the first time
    this.#counts = new Map(words.map((word) => [word, 0]));
  }

  add(word: string): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  samples(): Sample[] {
    return Array.from(this.#counts, ([word, value]) => ({ labels: { [this.#label]: word }, value }));
  }
}

const SPELL_MS = 1000;

/** The most that there were at a time, in the second before it is asked. */
class Peak {
  #now = 0;
  #most = 0;
  #mostBefore = 0;
  #since = 0;

  enter(nowMs: number): void {
    this.#turn(nowMs);
    this.#now++;
    if (this.#now > this.#most) this.#most = this.#now;
  }

  leave(): void {
    this.#now--;
  }

  at(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#most, this.#mostBefore);
  }

  #turn(nowMs: number): void {
    const spells = Math.floor((nowMs - this.#since) / SPELL_MS);
    if (spells < 1) return;
    this.#mostBefore = spells === 1 ? this.#most : this.#now;
    this.#most = this.#now;
    this.#since += spells * SPELL_MS;
  }
}

/** How many requests are served at a time that do not last long: those that change nothing, and the others. */
export class InFlight {
  readonly readOnly = new Peak();
  readonly mutating = new Peak();

  of(verb: string): Peak {
    return READ_ONLY.has(verb) ? this.readOnly : this.mutating;
  }
}

const BYTES = Symbol('bytes');

interface Answering {
  [BYTES]?: number;
}

/** Notes at a response how long its body is. */
export function noteBytes(raw: object, bytes: number): void {
  (raw as Answering)[BYTES] = bytes;
}

/** undefined: nobody has said it. */
export function notedBytes(raw: object): number | undefined {
  return (raw as Answering)[BYTES];
}

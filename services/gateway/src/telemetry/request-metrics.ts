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

/** The metrics of all requests. */
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
    counter('authentication_attempts', 'Requests by the result of their authentication.', this.#attempts);
    counter(
      'authenticated_user_requests',
      'Authenticated requests by user, for a few well-known users; all others are other or email_id.',
      this.#users,
    );
    counter('authorization_attempts_total', 'Requests by the decision of authorization.', this.#decisions);
    registry.collected({
      name: 'apiserver_current_inflight_requests',
      help: 'The most requests that were served at a time within the last second or two, without watches and streams.',
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

  authenticated({ name }: User): void {
    this.#attempts.add('success');
    this.#users.add(usernameLabel(name));
  }

  authenticationFailed(error: unknown): void {
    this.#attempts.add(error instanceof ApiError && error.code === 401 ? 'failure' : 'error');
  }

  allowed(): void {
    this.#decisions.add('allowed');
  }

  /** `isDenied`: an authorizer denied explicitly, instead of having no opinion. */
  refused(isDenied: boolean): void {
    this.#decisions.add(isDenied ? 'denied' : 'no-opinion');
  }
}

/** As in kube-apiserver: arbitrary usernames as labels would let the metrics grow without bound. */
function usernameLabel(name: string): string {
  if (CLUSTER_USERS.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

/** A counter with one label and few values; counting costs one map lookup. */
export class Counts {
  readonly #label: string;
  readonly #counts: Map<string, number>;

  constructor(label: string, words: readonly string[]) {
    this.#label = label;
    // values begin at 0, so that rates include the first event
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

/** The maximum of a gauge within the last second or two. */
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

/** Counts short requests in flight, read-only and mutating ones separately. */
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

/** Records the size of a response's body. */
export function noteBytes(raw: object, bytes: number): void {
  (raw as Answering)[BYTES] = bytes;
}

/** undefined: not recorded. */
export function notedBytes(raw: object): number | undefined {
  return (raw as Answering)[BYTES];
}

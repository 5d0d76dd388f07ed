import type { MetricRegistry } from '@tidegate/service-kit';
import { ApiError } from '@tidegate/status';
import type { User } from '../request/user.ts';
import { Counts } from './counts.ts';
import { InFlight } from './in-flight.ts';
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

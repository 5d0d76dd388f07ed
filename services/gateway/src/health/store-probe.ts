import { type Revision, toRevision } from '@tidegate/revision';
import { delayMs, type Retry } from '@tidegate/service-kit';

interface StoreProbeOptions {
  /** reads the current revision; every call ends with an answer or an error */
  readonly head: () => Promise<number>;
  /** when the store in use last answered, even with an error */
  readonly answeredAt: () => number;
  /** the backoff while no store answers */
  readonly retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  /** never rejects */
  readonly seen: (head: Revision, askedAt: number) => Promise<void>;
  readonly now?: () => number;
  readonly wait?: (ms: number, closing: AbortSignal) => Promise<void>;
}

/** The sum is below two seconds, within which /readyz must show that the stores are unreachable. */
const PROBE_MS = 500;
const TIMEOUT_MS = 1000;
/** More rounds than any call takes. Rounds instead of time, because a process that was paused is not stuck. */
const STUCK_CALLS = 30;

/** A reachable store reports within this time what failed. */
const ANSWERED_MS = 2000;

type Answer = { kind: 'answered' } | { kind: 'refused'; why: string } | { kind: 'silent' };
const SILENT: Answer = { kind: 'silent' };
const SLOW: Answer = { kind: 'refused', why: `no answer within ${TIMEOUT_MS} ms` };

/** Keeps this process's view of the stores and of PostgreSQL fresh, whether or not there are requests. */
export class StoreProbe {
  readonly #options: Required<StoreProbeOptions>;
  readonly #closing = new AbortController();
  #answer: Answer = SILENT;
  #open = 0;

  constructor(options: StoreProbeOptions) {
    this.#options = { now: () => performance.now(), wait: delayMs, ...options };
  }

  get answers(): boolean {
    return this.#answer.kind === 'answered';
  }

  /** A store that reports that PostgreSQL is unreachable is itself reachable. */
  storeTrouble(): string | undefined {
    return this.#answer.kind === 'silent' ? 'no store answers' : undefined;
  }

  postgresTrouble(): string | undefined {
    if (this.#answer.kind === 'refused') return this.#answer.why;
    return this.#answer.kind === 'silent' ? 'nothing is known of it, because no store answers' : undefined;
  }

  /** Calls that never end: only a restart of the process helps. */
  wedged(): string | undefined {
    return this.#open < STUCK_CALLS ? undefined : `${this.#open} calls to the stores do not come to an end`;
  }

  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#answer = await this.#ask();
      await this.#options.wait(this.#pauseMs(), signal);
    }
  }

  stop(): void {
    this.#closing.abort();
  }

  #pauseMs(): number {
    const { retry } = this.#options;
    if (this.answers) {
      retry.succeeded();
      return PROBE_MS;
    }
    return retry.failedNow(new Error(this.postgresTrouble()));
  }

  /** A store that hangs counts as unreachable long before its calls time out. */
  async #ask(): Promise<Answer> {
    const { head, answeredAt, seen, now, wait } = this.#options;
    const askedAt = now();
    this.#open++;
    const asked = head().then(
      (revision): Answer => {
        void seen(toRevision(revision), askedAt);
        return { kind: 'answered' };
      },
      (error: Error): Answer => (answeredAt() >= askedAt ? { kind: 'refused', why: error.message } : SILENT),
    );
    void asked.then(() => {
      this.#open--;
    });
    const late = () => (answeredAt() >= askedAt - ANSWERED_MS ? SLOW : SILENT);
    return Promise.race([asked, wait(TIMEOUT_MS, this.#closing.signal).then(late)]);
  }
}

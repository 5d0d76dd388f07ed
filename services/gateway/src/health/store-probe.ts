import { type Revision, toRevision } from '@tidegate/revision';
import { delayMs, type Retry } from '@tidegate/service-kit';

interface StoreProbeOptions {
  /** the current revision; every call ends by itself, as an answer or an error */
  readonly head: () => Promise<number>;
  /** when the store in use last answered, also to say that it cannot do what was asked */
  readonly heardAt: () => number;
  /** the pauses while no store answers */
  readonly retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  /** never rejects */
  readonly seen: (head: Revision, askedAt: number) => Promise<void>;
  readonly now?: () => number;
  readonly wait?: (ms: number, closing: AbortSignal) => Promise<void>;
}

/** Together below two seconds: by then /readyz must show that the stores are gone. */
const PROBE_MS = 500;
const PATIENCE_MS = 1000;
/** More rounds than any call takes by itself. Rounds, because a process that was stopped for a while is not stuck. */
const STUCK_CALLS = 30;

/** A store that is there says within this what it could not do. */
const HEARD_MS = 2000;

type Answer = { kind: 'answered' } | { kind: 'refused'; why: string } | { kind: 'silent' };
const SILENT: Answer = { kind: 'silent' };
const SLOW: Answer = { kind: 'refused', why: `no answer within ${PATIENCE_MS} ms` };

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

  /** A store that answers that it cannot reach PostgreSQL is there. */
  storeTrouble(): string | undefined {
    return this.#answer.kind === 'silent' ? 'no store answers' : undefined;
  }

  postgresTrouble(): string | undefined {
    if (this.#answer.kind === 'refused') return this.#answer.why;
    return this.#answer.kind === 'silent' ? 'nothing is known of it, because no store answers' : undefined;
  }

  /** Calls that do not even come to their own end: only a new process mends that. */
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

  /** A store that hangs is as good as none, long before its calls are given up. */
  async #ask(): Promise<Answer> {
    const { head, heardAt, seen, now, wait } = this.#options;
    const askedAt = now();
    this.#open++;
    const asked = head().then(
      (revision): Answer => {
        void seen(toRevision(revision), askedAt);
        return { kind: 'answered' };
      },
      (error: Error): Answer => (heardAt() >= askedAt ? { kind: 'refused', why: error.message } : SILENT),
    );
    void asked.then(() => {
      this.#open--;
    });
    const late = () => (heardAt() >= askedAt - HEARD_MS ? SLOW : SILENT);
    return Promise.race([asked, wait(PATIENCE_MS, this.#closing.signal).then(late)]);
  }
}

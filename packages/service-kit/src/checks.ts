/** What a probe asks: is this process alive, is it ready for requests, or (the older word for both) is it healthy? */
export type Endpoint = 'livez' | 'readyz' | 'healthz';

export function isEndpoint(word: string): word is Endpoint {
  return word === 'livez' || word === 'readyz' || word === 'healthz';
}

/** A named check, answered from local state: undefined when it passes, else the reason. */
export interface Check {
  readonly name: string;
  /** A required check fails its endpoint; the others are degradations that only show. */
  readonly required: boolean;
  readonly failing: () => string | undefined;
  /** excluded together with the check of this name */
  readonly group?: string;
}

interface KnownCheck extends Check {
  /** only readiness lists it */
  readonly ofReadiness?: boolean;
  /** what liveness makes of it; undefined: liveness does not list it */
  readonly wedged?: (() => string | undefined) | undefined;
}

interface CheckOptions {
  readonly required?: boolean;
  readonly group?: string;
  readonly ofReadiness?: boolean;
  /**
   * Why only a new process can mend it. Liveness lists a check that has this, and must not fail for what is wrong with
   * others: whoever asks kills this process.
   */
  readonly wedged?: () => string | undefined;
}

const passes = (): undefined => undefined;

/**
 * The checks of this process, in the order in which they were added: those of its start after the others.
 *
 * Invariant: what a start-up hook has done stays done, also when that is lost again; the other checks tell that.
 */
export class Checks {
  readonly #checks: KnownCheck[] = [{ name: 'ping', required: true, failing: passes, wedged: passes }];
  readonly #hooks: KnownCheck[] = [];
  readonly #now: () => number;
  readonly #startedAt: number;
  #stopping = false;
  /** how long after the start liveness takes start-up hooks for done */
  livezGraceMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  add(name: string, failing: () => string | undefined, { required = true, ...options }: CheckOptions = {}): void {
    this.#checks.push({ name, required, failing, ...options });
  }

  /**
   * A piece of the start, by the name that kube-apiserver gives it where it has one. One that is not required shows, and
   * fails nothing: another part does it, perhaps through this one, and no new process would mend it.
   */
  addHook(name: string, isDone: () => boolean, { required = true }: Pick<CheckOptions, 'required'> = {}): void {
    let done = false;
    const failing = () => {
      done ||= isDone();
      return done ? undefined : 'not finished';
    };
    const isEarly = () => this.#now() - this.#startedAt < this.livezGraceMs;
    const wedged = () => (isEarly() || !required ? undefined : failing());
    this.#hooks.push({ name: `poststarthook/${name}`, required, failing, wedged });
  }

  /** What an endpoint lists. */
  at(endpoint: Endpoint): readonly Check[] {
    const all = [...this.#checks, ...this.#hooks];
    if (endpoint === 'readyz') return [...all, this.#shutdown];
    const own = all.filter(({ ofReadiness }) => ofReadiness !== true);
    if (endpoint === 'healthz') return own;
    // what is no reason to turn requests away is none to end this process
    return own.flatMap(({ wedged, ...check }) => (wedged === undefined ? [] : [{ ...check, failing: wedged }]));
  }

  passes(endpoint: Endpoint): boolean {
    return this.at(endpoint).every((check) => !check.required || check.failing() === undefined);
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** From here on readiness fails, so that load balancers turn away before the listeners close. */
  beginStop(): void {
    this.#stopping = true;
  }

  get #shutdown(): Check {
    const failing = () => (this.#stopping ? 'process is shutting down' : undefined);
    return { name: 'shutdown', required: true, failing };
  }
}

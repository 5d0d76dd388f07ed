/** The endpoints of probes: liveness, readiness, and the older `healthz`. */
export type Endpoint = 'livez' | 'readyz' | 'healthz';

export function isEndpoint(word: string): word is Endpoint {
  return word === 'livez' || word === 'readyz' || word === 'healthz';
}

/** A named check of local state. */
export interface Check {
  readonly name: string;
  /** A required check fails its endpoint; other checks are degradations, which are only reported. */
  readonly required: boolean;
  /** the reason why the check fails; undefined if it passes */
  readonly failing: () => string | undefined;
  /** the check is also excluded when this name is excluded */
  readonly group?: string;
}

interface KnownCheck extends Check {
  /** only `/readyz` lists it */
  readonly readinessOnly?: boolean;
  /** the check for liveness; undefined if `/livez` does not list it */
  readonly wedged?: (() => string | undefined) | undefined;
}

interface CheckOptions {
  readonly required?: boolean;
  readonly group?: string;
  readonly readinessOnly?: boolean;
  /**
   * The reason why only a restart can help. `/livez` lists the checks that have it. It must not fail for problems
   * outside this process, because a failing liveness probe restarts the process.
   */
  readonly wedged?: () => string | undefined;
}

const passes = (): undefined => undefined;

/**
 * The checks of this process in the order in which they were added, followed by the start-up hooks.
 *
 * Invariant: a start-up hook that is done stays done, even if its result is lost later; other checks report that.
 */
export class Checks {
  readonly #checks: KnownCheck[] = [{ name: 'ping', required: true, failing: passes, wedged: passes }];
  readonly #hooks: KnownCheck[] = [];
  readonly #now: () => number;
  readonly #startedAt: number;
  #stopping = false;
  /** how long after the start `/livez` treats start-up hooks as done */
  livezGraceMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  add(name: string, failing: () => string | undefined, { required = true, ...options }: CheckOptions = {}): void {
    this.#checks.push({ name, required, failing, ...options });
  }

  /**
   * A step of the start, under kube-apiserver's name if it has one. A hook that is not required is only reported:
   * another part does the work, so a restart would not help.
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

  /** The checks that an endpoint lists. */
  at(endpoint: Endpoint): readonly Check[] {
    const all = [...this.#checks, ...this.#hooks];
    if (endpoint === 'readyz') return [...all, this.#shutdown];
    const own = all.filter(({ readinessOnly }) => readinessOnly !== true);
    if (endpoint === 'healthz') return own;
    // only checks with a liveness check of their own can restart this process
    return own.flatMap(({ wedged, ...check }) => (wedged === undefined ? [] : [{ ...check, failing: wedged }]));
  }

  passes(endpoint: Endpoint): boolean {
    return this.at(endpoint).every((check) => !check.required || check.failing() === undefined);
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Makes readiness fail, so that load balancers stop sending requests before the listeners close. */
  beginStop(): void {
    this.#stopping = true;
  }

  get #shutdown(): Check {
    const failing = () => (this.#stopping ? 'process is shutting down' : undefined);
    return { name: 'shutdown', required: true, failing };
  }
}

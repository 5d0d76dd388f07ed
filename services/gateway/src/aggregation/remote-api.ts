import { isDeepStrictEqual } from 'node:util';
import type { FindCollection } from '../callouts/service-targets.ts';
import type { Backend } from '../proxy/backend.ts';
import { type ApiService, availableIn, type RemoteService } from './api-service.ts';
import { requestErrorText, requestInBackground } from './background-request.ts';
import { AGGREGATOR, identityHeaders } from './identity-headers.ts';
import { type AskRemote, RemoteDiscovery } from './remote-discovery.ts';
import { RemoteOpenApi } from './remote-open-api.ts';
import type { RemoteTargets } from './remote-targets.ts';
import { checkService } from './service-check.ts';
import { hasVerdict, PASSED, unavailable, type Verdict } from './verdict.ts';

export interface RemoteApiOptions {
  readonly targets: RemoteTargets;
  readonly find: FindCollection;
  /** writes the verdict into the object, unless the object has changed */
  readonly write: (apiService: ApiService, verdict: Verdict) => Promise<unknown>;
  /** called when the discovery of the server may have changed */
  readonly changed: () => void;
  readonly warn: (error: unknown, words: string) => void;
  /** gets the availability after each check; undefined when the server is removed */
  readonly report: (name: string, isAvailable: boolean | undefined) => void;
  readonly now?: () => number;
}

/** the timeout of one background request */
const TIMEOUT_MS = 5000;
/** the connection timeout of clients' requests */
const CONNECT_MS = 10_000;
const AFTER_MISSED_MS = 500;
const MISSED_LOGGED_MS = 1000;
const AGAIN_MS = { passed: 30_000, first: 500, longest: 30_000 };
/** further attempts after a first failure */
const MORE_ATTEMPTS = 4;
const ANSWER_BYTES = 8 << 20;

/**
 * A remote group version. A background loop checks periodically whether the server answers, and reads its discovery and
 * OpenAPI.
 *
 * Invariant: one check runs at a time, and its result applies only to the Service that was checked. A request waits for
 * no check: it uses the last result, or the one that another gateway has written into the object.
 */
export class RemoteApi {
  readonly groupVersion: string;
  readonly discovery: RemoteDiscovery;
  readonly openApi: RemoteOpenApi;
  readonly #options: RemoteApiOptions;
  readonly #now: () => number;
  #apiService: ApiService;
  #verdict: Verdict | undefined;
  /** since when the object's condition differs from the verdict */
  #differsSince: number | undefined;
  #failures = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** when a failed request was last logged */
  #missedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;
  #isTouched = false;
  #isClosed = false;

  constructor(apiService: ApiService, options: RemoteApiOptions) {
    this.#apiService = apiService;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.groupVersion = `${apiService.group}/${apiService.version}`;
    this.discovery = new RemoteDiscovery(apiService);
    this.openApi = new RemoteOpenApi(this.groupVersion);
    this.touch();
  }

  get apiService(): ApiService {
    return this.#apiService;
  }

  get service(): RemoteService {
    return this.#apiService.remote as RemoteService;
  }

  /** Whether a check has completed. */
  get isChecked(): boolean {
    return this.#verdict !== undefined;
  }

  get isAvailable(): boolean {
    return this.#verdict?.status === 'True' || availableIn(this.#apiService)?.status === 'True';
  }

  /** Sets a new version of the object, with the same Service or another one. */
  set(apiService: ApiService): void {
    const isMoved = !isDeepStrictEqual(apiService.remote, this.service);
    const said = availableIn(apiService);
    this.#apiService = apiService;
    if (isMoved) {
      this.#verdict = undefined;
      this.discovery.expire();
    }
    if (isMoved || (this.#verdict !== undefined && !hasVerdict(said, this.#verdict))) this.touch();
  }

  /** Starts a check now, because something has changed. */
  touch(): void {
    if (this.#isClosed) return;
    this.#isTouched = true;
    if (!this.#isChecking) void this.#check();
  }

  /** Schedules a check after a failed request; many failures cause one check, to spare an overloaded server. */
  missed(error: unknown): void {
    if (this.#now() - this.#missedAt >= MISSED_LOGGED_MS) {
      this.#missedAt = this.#now();
      this.#options.warn(error, `A request did not reach the server of ${this.groupVersion}.`);
    }
    if (this.#isClosed || this.#isChecking) return;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#checkedAt + AFTER_MISSED_MS - this.#now());
    this.#timer = setTimeout(() => this.touch(), waitMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#options.report(this.#apiService.name, undefined);
  }

  backend(): Promise<Backend> {
    return this.#options.targets.backend(this.service, CONNECT_MS);
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    clearTimeout(this.#timer);
    try {
      while (this.#isTouched && !this.#isClosed) {
        this.#isTouched = false;
        const { service } = this;
        const verdict = await this.#verdictOn(service);
        if (!this.#isClosed && isDeepStrictEqual(service, this.service)) await this.#accept(verdict);
      }
    } catch (error) {
      this.#options.warn(error, `A check of ${this.groupVersion} failed; it is repeated.`);
    }
    this.#isChecking = false;
    this.#checkedAt = this.#now();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.touch(), this.#againMs());
    this.#timer.unref();
  }

  #againMs(): number {
    if (this.#failures === 0) return AGAIN_MS.passed;
    return Math.min(AGAIN_MS.longest, AGAIN_MS.first * 2 ** (this.#failures - 1));
  }

  async #accept(verdict: Verdict): Promise<void> {
    const before = this.#verdict;
    this.#verdict = verdict;
    this.#failures = verdict.status === 'True' ? 0 : this.#failures + 1;
    this.#options.report(this.#apiService.name, verdict.status === 'True');
    await this.#write(verdict, before);
    if (verdict.status === 'True') await this.#readApi();
    else this.discovery.expire();
    this.#options.changed();
  }

  /**
   * Each gateway writes a verdict that changes for it. Where gateways disagree, the object has the latest change, and
   * each gateway corrects it at most once in half a minute.
   */
  async #write(verdict: Verdict, before: Verdict | undefined): Promise<void> {
    const said = availableIn(this.#apiService);
    if (hasVerdict(said, verdict)) {
      this.#differsSince = undefined;
      return;
    }
    const now = this.#now();
    this.#differsSince ??= now;
    const isNews = before === undefined || before.status !== verdict.status || before.reason !== verdict.reason;
    if (said !== undefined && !isNews && now - this.#differsSince < AGAIN_MS.passed) return;
    try {
      await this.#options.write(this.#apiService, verdict);
    } catch (error) {
      this.#options.warn(error, 'The condition of an APIService was not written; it is written after the next check.');
    }
  }

  async #verdictOn(service: RemoteService): Promise<Verdict> {
    const { targets, find } = this.#options;
    try {
      const bad = targets.isConfigured(service) ? undefined : await checkService(service, find);
      if (bad !== undefined) return bad;
    } catch (error) {
      const words = `service/${service.name} in ${JSON.stringify(service.namespace)} cannot be checked due to: ${messageOf(error)}`;
      return { status: 'Unknown', reason: 'ServiceAccessError', message: words };
    }
    try {
      await this.#attempt(service);
      return PASSED;
    } catch {
      // The connection failed or the answer was bad. The replica may have been shutting down, so further attempts follow, and their errors are reported.
      const attempts = Array.from({ length: MORE_ATTEMPTS }, () => this.#attempt(service));
      try {
        await Promise.any(attempts);
        return PASSED;
      } catch (error) {
        const [first] = (error as AggregateError).errors as unknown[];
        return unavailable('FailedDiscoveryCheck', messageOf(first));
      }
    }
  }

  async #attempt(service: RemoteService): Promise<void> {
    const backend = await this.#options.targets.backend(service, TIMEOUT_MS);
    const path = `/apis/${this.groupVersion}`;
    const url = `https://${backend.address}:${backend.port}${path}`;
    const headers = ['Accept', 'application/json', ...identityHeaders(AGGREGATOR)];
    const failing = `failing or missing response from ${url}: `;
    let code: number;
    try {
      const request = { path, headers, timeoutMs: TIMEOUT_MS, mostBytes: ANSWER_BYTES };
      ({ code } = await requestInBackground(backend, request));
    } catch (error) {
      throw new Error(failing + requestErrorText(url, error), { cause: error });
    }
    if (code < 200 || code > 299) throw new Error(`${failing}bad status from ${url}: ${code}`);
  }

  /** Reads discovery and OpenAPI of the server. */
  async #readApi(): Promise<void> {
    const ask: AskRemote = async (path, { headers, mostBytes }) => {
      const backend = await this.#options.targets.backend(this.service, TIMEOUT_MS);
      const all = [...headers, ...identityHeaders(AGGREGATOR)];
      return requestInBackground(backend, { path, headers: all, timeoutMs: TIMEOUT_MS, mostBytes });
    };
    const { groupVersion } = this;
    const failed = (what: string) => (error: unknown) =>
      this.#options.warn(error, `${what} of ${groupVersion} was not read; it is read again after the next check.`);
    await Promise.all([
      this.discovery.refresh(ask).catch(failed('Discovery')),
      this.openApi.refresh(ask).catch(failed('OpenAPI')),
    ]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

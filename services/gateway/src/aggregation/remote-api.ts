import { isDeepStrictEqual } from 'node:util';
import type { FindCollection } from '../callouts/service-targets.ts';
import type { Backend } from '../proxy/backend.ts';
import { type ApiService, availableIn, type RemoteService } from './api-service.ts';
import { askInBackground, wordsOf } from './background-request.ts';
import { AGGREGATOR, identityHeaders } from './identity-headers.ts';
import { type AskRemote, RemoteDiscovery } from './remote-discovery.ts';
import { RemoteOpenApi } from './remote-open-api.ts';
import type { RemoteTargets } from './remote-targets.ts';
import { judgeService } from './service-check.ts';
import { PASSED, saysSo, unavailable, type Verdict } from './verdict.ts';

export interface RemoteApiOptions {
  readonly targets: RemoteTargets;
  readonly find: FindCollection;
  /** writes the verdict to the object, unless it is another one by now */
  readonly tell: (apiService: ApiService, verdict: Verdict) => Promise<unknown>;
  /** what is served there may be something else now */
  readonly changed: () => void;
  readonly warn: (error: unknown, words: string) => void;
  /** what the last look has come to; undefined when there will be none any more */
  readonly report: (name: string, isAvailable: boolean | undefined) => void;
  readonly now?: () => number;
}

/** how long one question in the background may take */
const PATIENCE_MS = 5000;
/** for requests of clients */
const CONNECT_MS = 10_000;
const AFTER_MISSED_MS = 500;
const MISSED_TOLD_MS = 1000;
const AGAIN_MS = { passed: 30_000, first: 500, longest: 30_000 };
/** after a first failure */
const MORE_ATTEMPTS = 4;
const ANSWER_BYTES = 8 << 20;

/**
 * A group version that a server behind the API serves. It is looked at again and again, in the background: whether it
 * answers, and what it serves.
 *
 * Invariant: one look at a time, and its outcome counts only for the Service that was looked at. A request waits for no
 * look: it goes by the last one, or by what another gateway has found and written into the object.
 */
export class RemoteApi {
  readonly groupVersion: string;
  readonly discovery: RemoteDiscovery;
  readonly openApi: RemoteOpenApi;
  readonly #options: RemoteApiOptions;
  readonly #now: () => number;
  #apiService: ApiService;
  #verdict: Verdict | undefined;
  /** when the object began to say something else */
  #differsSince: number | undefined;
  #failures = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** when the log was last told of a request that did not reach it */
  #missedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
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

  /** It was looked at since it was known. */
  get isJudged(): boolean {
    return this.#verdict !== undefined;
  }

  get isAvailable(): boolean {
    return this.#verdict?.status === 'True' || availableIn(this.#apiService)?.status === 'True';
  }

  /** The object is another one, with the same Service or another. */
  set(apiService: ApiService): void {
    const isMoved = !isDeepStrictEqual(apiService.remote, this.service);
    const said = availableIn(apiService);
    this.#apiService = apiService;
    if (isMoved) {
      this.#verdict = undefined;
      this.discovery.expire();
    }
    if (isMoved || (this.#verdict !== undefined && !saysSo(said, this.#verdict))) this.touch();
  }

  /** Looks at it now: something has changed. */
  touch(): void {
    if (this.#isClosed) return;
    this.#isTouched = true;
    if (!this.#isLooking) void this.#look();
  }

  /** A request did not reach it. It is looked at soon, but not for each of many: it may have enough to do. */
  missed(error: unknown): void {
    if (this.#now() - this.#missedAt >= MISSED_TOLD_MS) {
      this.#missedAt = this.#now();
      this.#options.warn(error, `A request did not reach the server of ${this.groupVersion}.`);
    }
    if (this.#isClosed || this.#isLooking) return;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#lookedAt + AFTER_MISSED_MS - this.#now());
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

  async #look(): Promise<void> {
    this.#isLooking = true;
    clearTimeout(this.#timer);
    try {
      while (this.#isTouched && !this.#isClosed) {
        this.#isTouched = false;
        const { service } = this;
        const verdict = await this.#judge(service);
        if (!this.#isClosed && isDeepStrictEqual(service, this.service)) await this.#take(verdict);
      }
    } catch (error) {
      this.#options.warn(error, `A look at ${this.groupVersion} broke off; it is looked at again.`);
    }
    this.#isLooking = false;
    this.#lookedAt = this.#now();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.touch(), this.#againMs());
    this.#timer.unref();
  }

  #againMs(): number {
    if (this.#failures === 0) return AGAIN_MS.passed;
    return Math.min(AGAIN_MS.longest, AGAIN_MS.first * 2 ** (this.#failures - 1));
  }

  async #take(verdict: Verdict): Promise<void> {
    const before = this.#verdict;
    this.#verdict = verdict;
    this.#failures = verdict.status === 'True' ? 0 : this.#failures + 1;
    this.#options.report(this.#apiService.name, verdict.status === 'True');
    await this.#tell(verdict, before);
    if (verdict.status === 'True') await this.#learn();
    else this.discovery.expire();
    this.#options.changed();
  }

  /**
   * Of several gateways each tells what changes for it. Where they find different things, the object says what changed
   * last, and no more than one of them in half a minute sets it right.
   */
  async #tell(verdict: Verdict, before: Verdict | undefined): Promise<void> {
    const said = availableIn(this.#apiService);
    if (saysSo(said, verdict)) {
      this.#differsSince = undefined;
      return;
    }
    const now = this.#now();
    this.#differsSince ??= now;
    const isNews = before === undefined || before.status !== verdict.status || before.reason !== verdict.reason;
    if (said !== undefined && !isNews && now - this.#differsSince < AGAIN_MS.passed) return;
    try {
      await this.#options.tell(this.#apiService, verdict);
    } catch (error) {
      this.#options.warn(error, 'The condition of an APIService was not written; it is written after the next look.');
    }
  }

  async #judge(service: RemoteService): Promise<Verdict> {
    const { targets, find } = this.#options;
    try {
      const bad = targets.isConfigured(service) ? undefined : await judgeService(service, find);
      if (bad !== undefined) return bad;
    } catch (error) {
      const words = `service/${service.name} in ${JSON.stringify(service.namespace)} cannot be checked due to: ${messageOf(error)}`;
      return { status: 'Unknown', reason: 'ServiceAccessError', message: words };
    }
    try {
      await this.#attempt(service);
      return PASSED;
    } catch {
      // The connection failed or the answer was bad. It may have been one of several that is on its way out; the errors of
      // further attempts are told.
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
    const backend = await this.#options.targets.backend(service, PATIENCE_MS);
    const path = `/apis/${this.groupVersion}`;
    const url = `https://${backend.address}:${backend.port}${path}`;
    const headers = ['Accept', 'application/json', ...identityHeaders(AGGREGATOR)];
    const failing = `failing or missing response from ${url}: `;
    let code: number;
    try {
      const request = { path, headers, timeoutMs: PATIENCE_MS, mostBytes: ANSWER_BYTES };
      ({ code } = await askInBackground(backend, request));
    } catch (error) {
      throw new Error(failing + wordsOf(url, error), { cause: error });
    }
    if (code < 200 || code > 299) throw new Error(`${failing}bad status from ${url}: ${code}`);
  }

  /** What it serves. */
  async #learn(): Promise<void> {
    const ask: AskRemote = async (path, { headers, mostBytes }) => {
      const backend = await this.#options.targets.backend(this.service, PATIENCE_MS);
      const all = [...headers, ...identityHeaders(AGGREGATOR)];
      return askInBackground(backend, { path, headers: all, timeoutMs: PATIENCE_MS, mostBytes });
    };
    const { groupVersion } = this;
    const failed = (what: string) => (error: unknown) =>
      this.#options.warn(error, `${what} of ${groupVersion} was not read; it is read again after the next look.`);
    await Promise.all([
      this.discovery.refresh(ask).catch(failed('Discovery')),
      this.openApi.refresh(ask).catch(failed('OpenAPI')),
    ]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

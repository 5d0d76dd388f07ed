import type { IncomingMessage } from 'node:http';
import type { Random } from '@tidegate/testkit';
import { type Selector, type Stream, versionOf, type WatchEvent, type Watcher } from '../history/history.ts';
import type { Api } from './api.ts';
import { pauseAfterFailure } from './failure-pause.ts';
import { LABEL, stateOf } from './object.ts';
import type { Recorder } from './recorder.ts';

/** The server sends a bookmark two seconds before the end of each stream, so short streams produce bookmarks. */
const STREAM_SECONDS = 3;
const STREAM_LIMIT_MS = 6000;

interface FollowerOptions {
  readonly recorder: Recorder;
  /** each stream uses a random one, so that a gateway must resume a stream of another */
  readonly apis: readonly Api[];
  readonly random: Random;
  readonly name: string;
  readonly selector: Selector;
  /** how it begins: with a list, a streamed list, or a watch without a version */
  readonly begin: 'list' | 'streamed list' | 'state';
  /** whether the client ends half of the streams early, at random */
  readonly disconnects: boolean;
}

/** Watches a collection as informers do: from its state, over any number of streams. */
export class CollectionFollower {
  readonly #options: FollowerOptions;
  readonly #record: Watcher & { list: Watcher['list'] };
  #after: number | undefined;
  #stopped = false;
  #response: IncomingMessage | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#record = { name: options.name, selector: options.selector, list: undefined, streams: [] };
    options.recorder.history.watchers.push(this.#record);
  }

  /** the version that it has reached, or undefined before it has begun */
  get version(): number | undefined {
    return this.#after;
  }

  async run(): Promise<void> {
    const { recorder, apis, random, name, selector, begin } = this.#options;
    while (begin === 'list' && this.#record.list === undefined && !this.#stopped) {
      const list = await recorder.list(random.pick(apis), `watch ${name}`, {
        mode: 'recent',
        requested: 0,
        selector,
        limit: 0,
      });
      if (list === undefined) await pauseAfterFailure();
      this.#record.list = list;
      this.#after = list?.pages[0]?.version;
    }
    while (!this.#stopped) if (!(await this.#follow())) await pauseAfterFailure();
  }

  stop(): void {
    this.#stopped = true;
    this.#response?.destroy();
  }

  /** Reads one stream; returns false if it could not be started. */
  async #follow(): Promise<boolean> {
    const { apis, random, disconnects } = this.#options;
    const start = performance.now();
    const response = await random.pick(apis).stream(this.#path());
    if (response?.statusCode !== 200) {
      response?.destroy();
      if (response?.statusCode === 410) this.#expired({ after: this.#after, start, events: [], expired: true });
      return false;
    }
    this.#response = response;
    const limit = setTimeout(() => response.destroy(), STREAM_LIMIT_MS);
    const stream: Stream = { after: this.#after, start, events: [], expired: false };
    this.#record.streams.push(stream);
    const maxEvents = disconnects && random.chance(0.5) ? 1 + random.below(80) : Number.POSITIVE_INFINITY;
    for await (const line of linesOf(response)) {
      this.#receive(stream, line);
      if (stream.events.length >= maxEvents && this.#after !== undefined) response.destroy();
    }
    clearTimeout(limit);
    return true;
  }

  #path(): string {
    const { recorder, selector, begin } = this.#options;
    const query = new URLSearchParams({
      watch: '1',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(STREAM_SECONDS),
    });
    if (selector !== '') query.set('labelSelector', `${LABEL}=${selector}`);
    if (this.#after !== undefined) query.set('resourceVersion', String(this.#after));
    else if (begin === 'streamed list') {
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
    }
    return `${recorder.path}?${query}`;
  }

  #receive(stream: Stream, line: string): void {
    const { type, object } = JSON.parse(line);
    if (type === 'ERROR') {
      if (object.code === 410) this.#expired(stream);
      return;
    }
    const event = this.#eventOf(type, object);
    if (event === undefined) return;
    stream.events.push(event);
    const isAfterState = this.#after !== undefined || (event.type === 'BOOKMARK' && event.initialEnd);
    if (isAfterState) this.#after = Math.max(this.#after ?? 0, versionOf(event));
  }

  // biome-ignore lint/suspicious/noExplicitAny: an object of the API
  #eventOf(type: string, object: any): WatchEvent | undefined {
    if (type === 'BOOKMARK') {
      const { resourceVersion, annotations } = object.metadata;
      const initialEnd = annotations?.['k8s.io/initial-events-end'] === 'true';
      return { type, version: Number(resourceVersion), initialEnd };
    }
    const state = stateOf(object, this.#options.recorder.namespace);
    return state && { type: type as 'ADDED', state };
  }

  /** A real client would list again; this one stops. */
  #expired(stream: Stream): void {
    stream.expired = true;
    if (!this.#record.streams.includes(stream)) this.#record.streams.push(stream);
    this.stop();
  }
}

/** Yields complete lines; a broken connection ends the stream. */
async function* linesOf(response: IncomingMessage): AsyncIterable<string> {
  let rest = '';
  try {
    for await (const part of response.setEncoding('utf8')) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    // closed by either side
    if (!['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

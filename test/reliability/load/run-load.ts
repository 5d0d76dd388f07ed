import { type Endpoint, Random, until } from '@tidegate/testkit';
import type { History, OperationRequest } from '../history/history.ts';
import { Api } from './api.ts';
import { COLOURS, chooseList, chooseRequest, keysOf } from './choose.ts';
import { pauseAfterFailure } from './failure-pause.ts';
import { CollectionFollower } from './follow-collection.ts';
import { largeToken } from './object.ts';
import { Recorder } from './recorder.ts';

export interface LoadOptions {
  readonly seed: number;
  /** a namespace for each run, so that runs do not interfere */
  readonly namespace: string;
  /** clients are spread over them */
  readonly endpoints: readonly Endpoint[];
  /** the number of operations of all writers; they stop earlier when `isOver` returns true */
  readonly operations: number;
  readonly isOver?: () => boolean;
  /** called after each operation with a known outcome */
  readonly onDone?: () => void;
  readonly writers?: number;
  readonly keys?: number;
  /** how long a client waits for an answer */
  readonly timeoutMs?: number;
  /** how long the watchers may take to reach the end */
  readonly catchUpMs: number;
  /** what the watchers must have seen before they end, however fast the operations were */
  readonly hasSeenEnough?: (history: History) => boolean;
  /** the average pause between the operations of a writer */
  readonly pauseMs?: number;
}

const KEYS = 12;
/** Sizes and their percentages: some writes are large, and some exceed the message size of the bus. */
const LARGE_BYTES = { 0: 98.2, 80000: 1.6, 1040000: 0.2 };

const FOLLOWERS = [
  { name: 'all from a list', selector: '', begin: 'list', disconnects: true },
  { name: 'all streamed', selector: '', begin: 'streamed list', disconnects: false },
  { name: 'red from a list', selector: 'red', begin: 'list', disconnects: true },
  { name: 'red from the state', selector: 'red', begin: 'state', disconnects: true },
  { name: 'blue streamed', selector: 'blue', begin: 'streamed list', disconnects: true },
] as const;

/**
 * Runs random operations of many clients and returns the history.
 *
 * The watchers begin before the first write and end after the last one, because the versions of deletions are known
 * only from watchers without a selector.
 */
export async function runLoad(options: LoadOptions): Promise<History> {
  const recorder = new Recorder(options.namespace);
  const { endpoints, seed, timeoutMs = 5000 } = options;
  const apis = endpoints.map((endpoint) => new Api(endpoint, timeoutMs));
  await createNamespace(apis[0] as Api, options.namespace);

  const followers = FOLLOWERS.map(
    (follower, i) => new CollectionFollower({ ...follower, recorder, apis, random: new Random(seed * 1000 + i) }),
  );
  const following = followers.map((follower) => follower.run());
  try {
    await until('the watchers to start', () => followers.every((follower) => follower.version !== undefined));
    await work(recorder, apis, options);
    await finish(recorder, apis);
    const { endVersion } = recorder.history;
    const atEnd = () => followers.every(({ version = 0 }) => version >= endVersion);
    // the checks report watchers that do not reach the end
    await until('the watchers to reach the end', atEnd, options.catchUpMs).catch(() => undefined);
    const { hasSeenEnough = () => true } = options;
    await until('the watchers to see enough', () => hasSeenEnough(recorder.history), options.catchUpMs);
  } finally {
    for (const follower of followers) follower.stop();
    await Promise.all(following);
    for (const api of apis) api.close();
  }
  return recorder.history;
}

async function work(recorder: Recorder, apis: readonly Api[], options: LoadOptions): Promise<void> {
  const budget = { left: options.operations };
  const writers = Array.from({ length: options.writers ?? 6 }, (_, i) => write(recorder, apis, options, i, budget));
  const listers = [0, 1].map((i) => list(recorder, apis, options, i, () => budget.left <= 0));
  try {
    await Promise.all(writers);
  } finally {
    budget.left = 0;
  }
  await Promise.all(listers);
}

async function createNamespace(api: Api, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await until('a namespace', async () => {
    const reply = await api.send({ method: 'POST', path: '/api/v1/namespaces', body, contentType: 'application/json' });
    return reply.kind === 'answered' && (reply.code === 201 || reply.code === 409);
  });
}

async function write(
  recorder: Recorder,
  apis: readonly Api[],
  options: LoadOptions,
  i: number,
  budget: { left: number },
): Promise<void> {
  const { seed, isOver = () => false, onDone = () => {}, pauseMs = 0, keys = KEYS } = options;
  const random = new Random(seed * 1000 + 100 + i);
  const names = keysOf(keys);
  while (budget.left-- > 0 && !isOver()) {
    const key = random.pick(names);
    const token = recorder.nextToken();
    const large = random.weighted(LARGE_BYTES);
    const request = chooseRequest(
      random,
      recorder.knowledge.of(key),
      large === '0' ? token : largeToken(token, Number(large)),
    );
    const { outcome } = await recorder.operate(random.pick(apis), `writer-${i}`, key, request);
    if (outcome.kind === 'unknown' || outcome.kind === 'rejected') await pauseAfterFailure();
    else onDone();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, random.below(2 * pauseMs)));
  }
}

async function list(
  recorder: Recorder,
  apis: readonly Api[],
  options: LoadOptions,
  i: number,
  isOver: () => boolean,
): Promise<void> {
  const random = new Random(options.seed * 1000 + 500 + i);
  const names = keysOf(options.keys ?? KEYS);
  while (!isOver()) {
    const { newest } = recorder.knowledge;
    const done = await recorder.list(random.pick(apis), 'lister', chooseList(random, newest));
    await recorder.readOld(random.pick(apis), 'lister', random.pick(names), random.chance(0.3) ? 0 : newest);
    if (done === undefined || random.chance(0.7)) await pauseAfterFailure();
  }
}

/** The last writes, one for each selector, repeated until they are certain; then the last list. */
async function finish(recorder: Recorder, apis: readonly Api[]): Promise<void> {
  const api = apis[0] as Api;
  const { history } = recorder;
  for (const colour of COLOURS) {
    const key = `end-${colour}`;
    const request: OperationRequest = { kind: 'create', token: recorder.nextToken(), colour };
    const version = await until(
      'a last write',
      async () => {
        const { outcome } = await recorder.operate(
          api,
          'main',
          key,
          recorder.knowledge.of(key) ? { kind: 'get' } : request,
        );
        if (outcome.kind === 'state') return outcome.state.version;
        if (outcome.kind !== 'exists') return undefined;
        const read = await recorder.operate(api, 'main', key, { kind: 'get' });
        return read.outcome.kind === 'state' ? read.outcome.state.version : undefined;
      },
      60_000,
    );
    if (history.endVersion === 0) history.endVersion = version;
  }
  const last = { mode: 'recent', requested: 0, selector: '', limit: 0 } as const;
  await until('a last list', () => recorder.list(api, 'main', last), 60_000);
}

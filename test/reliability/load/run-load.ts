import { Random, until } from '@tidegate/testkit';
import type { Ask, History } from '../history/history.ts';
import { Api, type Endpoint } from './api.ts';
import { COLOURS, chooseAsk, chooseList, keysOf } from './choose.ts';
import { CollectionFollower } from './follow-collection.ts';
import { largeToken } from './object.ts';
import { Recorder } from './recorder.ts';
import { afterTrouble } from './trouble-pause.ts';

export interface LoadOptions {
  readonly seed: number;
  /** one for each run, so that runs do not meet */
  readonly namespace: string;
  /** clients are spread over them */
  readonly endpoints: readonly Endpoint[];
  /** how many operations the writers do together, or until when */
  readonly operations: number;
  readonly over?: () => boolean;
  /** told after each operation that had a certain outcome */
  readonly done?: () => void;
  readonly writers?: number;
  readonly keys?: number;
  /** what a client waits for an answer */
  readonly timeoutMs?: number;
  /** what the watchers have to come to the end */
  readonly catchUpMs: number;
  readonly betweenMs?: number;
}

const KEYS = 12;
/** Of a hundred writes: most are small, few go another way, and fewer do not fit into a message of the bus. */
const LARGE_BYTES = { 0: 98.2, 80000: 1.6, 1040000: 0.2 };

const FOLLOWERS = [
  { name: 'all from a list', selector: '', begin: 'list', cuts: true },
  { name: 'all streamed', selector: '', begin: 'streamed list', cuts: false },
  { name: 'red from a list', selector: 'red', begin: 'list', cuts: true },
  { name: 'red from the state', selector: 'red', begin: 'state', cuts: true },
  { name: 'blue streamed', selector: 'blue', begin: 'streamed list', cuts: true },
] as const;

/**
 * Random work of many clients, and all that they saw of it.
 *
 * The watchers begin before the first write and come to the end after the last one: what is known of deletions is
 * known from those that select all.
 */
export async function runLoad(options: LoadOptions): Promise<History> {
  const recorder = new Recorder(options.namespace);
  const { endpoints, seed, timeoutMs = 5000 } = options;
  const apis = endpoints.map((endpoint) => new Api(endpoint, timeoutMs));
  await makeNamespace(apis[0] as Api, options.namespace);

  const followers = FOLLOWERS.map(
    (who, i) => new CollectionFollower({ ...who, recorder, apis, random: new Random(seed * 1000 + i) }),
  );
  const following = followers.map((follower) => follower.run());
  try {
    await until('the watchers to have begun', () => followers.every((follower) => follower.at !== undefined));
    await work(recorder, apis, options);
    await finish(recorder, apis);
    const { endVersion } = recorder.history;
    const atEnd = () => followers.every(({ at = 0 }) => at >= endVersion);
    // who does not come to the end is named by the checks
    await until('the watchers to come to the end', atEnd, options.catchUpMs).catch(() => undefined);
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

async function makeNamespace(api: Api, name: string): Promise<void> {
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
  const { seed, over = () => false, done = () => {}, betweenMs = 0, keys = KEYS } = options;
  const random = new Random(seed * 1000 + 100 + i);
  const names = keysOf(keys);
  while (budget.left-- > 0 && !over()) {
    const key = random.pick(names);
    const token = recorder.nextToken();
    const large = random.weighted(LARGE_BYTES);
    const ask = chooseAsk(random, recorder.knowledge.of(key), large === '0' ? token : largeToken(token, Number(large)));
    const { outcome } = await recorder.operate(random.pick(apis), `writer-${i}`, key, ask);
    if (outcome.kind === 'unknown' || outcome.kind === 'refused') await afterTrouble();
    else done();
    if (betweenMs > 0) await new Promise((resolve) => setTimeout(resolve, random.below(2 * betweenMs)));
  }
}

async function list(
  recorder: Recorder,
  apis: readonly Api[],
  options: LoadOptions,
  i: number,
  over: () => boolean,
): Promise<void> {
  const random = new Random(options.seed * 1000 + 500 + i);
  const names = keysOf(options.keys ?? KEYS);
  while (!over()) {
    const { newest } = recorder.knowledge;
    const done = await recorder.list(random.pick(apis), 'lister', chooseList(random, newest));
    await recorder.readOld(random.pick(apis), 'lister', random.pick(names), random.chance(0.3) ? 0 : newest);
    if (done === undefined || random.chance(0.7)) await afterTrouble();
  }
}

/** The last writes, one that each selection sees, certain to be there; then the last list. */
async function finish(recorder: Recorder, apis: readonly Api[]): Promise<void> {
  const api = apis[0] as Api;
  const { history } = recorder;
  for (const colour of COLOURS) {
    const key = `end-${colour}`;
    const ask: Ask = { kind: 'create', token: recorder.nextToken(), colour };
    const version = await until(
      'a last write',
      async () => {
        const { outcome } = await recorder.operate(
          api,
          'main',
          key,
          recorder.knowledge.of(key) ? { kind: 'get' } : ask,
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
  const last = { mode: 'recent', asked: 0, selector: '', limit: 0 } as const;
  await until('a last list', () => recorder.list(api, 'main', last), 60_000);
}

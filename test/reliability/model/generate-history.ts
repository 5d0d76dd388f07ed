import { Random } from '@tidegate/testkit';
import type { History, List, OldRead, OperationRequest, Outcome, Page } from '../history/history.ts';
import { chooseList, chooseRequest, Knowledge, keysOf } from '../load/choose.ts';
import { generateWatchers } from './generate-watchers.ts';
import { FIRST_VERSION, ModelServer } from './model-server.ts';

interface GenerateOptions {
  readonly seed: number;
  readonly operations: number;
  /** the share of operations without an answer */
  readonly unknown?: number;
}

interface ScheduledStep {
  readonly time: number;
  readonly run: () => void;
}

/** The history of clients of a correct server: operations overlap, take effect between start and end, and lose answers. */
export function generateHistory({ seed, operations, unknown = 0.03 }: GenerateOptions): History {
  const random = new Random(seed);
  const server = new ModelServer(random);
  const knowledge = new Knowledge();
  const history: History = { operations: [], lists: [], oldReads: [], watchers: [], endVersion: 0 };
  const schedule: ScheduledStep[] = [];
  const at = (time: number, run: () => void) => {
    const place = schedule.findLastIndex((due) => due.time <= time);
    schedule.splice(place + 1, 0, { time, run });
  };
  const keys = keysOf(12);
  let started = 0;

  const operate = (client: string, start: number) => {
    if (started++ >= operations) return;
    const key = random.pick(keys);
    const request = chooseRequest(random, knowledge.of(key), `t${started}`);
    const effect = start + random.between(0.1, 4);
    const end = effect + random.between(0.1, 4);
    if (random.chance(unknown)) {
      record(client, key, request, { start, end: Number.POSITIVE_INFINITY, outcome: { kind: 'unknown' } });
      // takes effect in time, much later, or never
      const late = random.pick([effect, effect + random.between(5, 50), undefined]);
      if (late !== undefined) at(late, () => server.execute(key, request));
      at(end, () => operate(client, end));
      return;
    }
    at(effect, () => {
      const outcome = server.execute(key, request);
      record(client, key, request, { start, end, outcome });
      if (outcome.kind === 'state') knowledge.observe(outcome.state);
      operate(client, end + random.between(0, 2));
    });
  };
  const record = (
    client: string,
    key: string,
    request: OperationRequest,
    seen: { start: number; end: number; outcome: Outcome },
  ) => history.operations.push({ client, key, request, ...seen });

  const list = (client: string, start: number) => {
    if (started >= operations) return;
    at(start + random.between(0.1, 4), () => {
      history.lists.push(listOf(random, server, knowledge, { client, start }));
      history.oldReads.push(oldReadOf(random, server, knowledge.newest, { client, key: random.pick(keys) }));
      list(client, start + random.between(5, 30));
    });
  };

  for (let i = 0; i < 6; i++) operate(`writer-${i}`, i / 10);
  for (let i = 0; i < 2; i++) list(`lister-${i}`, i / 10);
  let now = 0;
  for (let due = schedule.shift(); due !== undefined; due = schedule.shift()) {
    now = due.time;
    due.run();
  }
  end({ history, server, now });
  history.watchers.push(...generateWatchers(random, server, history.lists));
  return history;
}

function listOf(
  random: Random,
  server: ModelServer,
  { newest }: Knowledge,
  by: { client: string; start: number },
): List {
  const { mode, requested, selector, limit } = chooseList(random, newest);
  const version =
    mode === 'recent'
      ? server.version
      : mode === 'exact'
        ? requested
        : mode === 'any'
          ? Math.max(FIRST_VERSION, server.version - random.below(50))
          : server.version - random.below(server.version - requested + 1);
  const items = server.stateAt(version, selector);
  const pages: Page[] = [];
  const size = limit === 0 ? Math.max(1, items.length) : limit;
  for (let i = 0; i === 0 || i < items.length; i += size) pages.push({ version, items: items.slice(i, i + size) });
  const isComplete = !random.chance(0.1) || pages.length === 1;
  return { ...by, mode, requested, selector, isComplete, pages: isComplete ? pages : pages.slice(0, -1) };
}

function oldReadOf(random: Random, server: ModelServer, newest: number, by: { client: string; key: string }): OldRead {
  const requested = random.chance(0.5) ? 0 : newest;
  const version = Math.max(requested, server.version - random.below(30));
  return { ...by, requested, state: server.stateAt(version, '').find(({ key }) => key === by.key) };
}

/** The last writes, one for each selector, and the last list. */
function end({ history, server, now }: { history: History; server: ModelServer; now: number }): void {
  let time = now + 100;
  for (const colour of ['red', 'blue']) {
    const request = { kind: 'create', token: `end-${colour}`, colour } as const;
    const outcome = server.execute(`end-${colour}`, request);
    history.operations.push({ client: 'main', key: `end-${colour}`, request, start: time, end: time + 1, outcome });
    if (outcome.kind === 'state' && colour === 'red') history.endVersion = outcome.state.version;
    time += 2;
  }
  const pages = [{ version: server.version, items: server.stateAt(server.version, '') }];
  history.lists.push({
    client: 'main',
    mode: 'recent',
    requested: 0,
    selector: '',
    start: time,
    pages,
    isComplete: true,
  });
}

import type { Random } from '@tidegate/testkit';
import { type AcknowledgedWrite, isAcknowledged } from '../checks/real-time-order.ts';
import { ChangeLog } from '../history/change-log.ts';
import type { History, List, OldRead, Operation, Outcome, Page, State } from '../history/history.ts';
import type { HistoryFault } from './history-fault.ts';

type Mutable<T> = { -readonly [P in keyof T]: T[P] };

function writes(history: History): AcknowledgedWrite[] {
  return history.operations.filter(isAcknowledged).filter(({ client }) => client !== 'main');
}

function setOutcome(operation: Operation, outcome: Outcome): void {
  (operation as Mutable<Operation>).outcome = outcome;
}

/** Two writes to different objects; the second started after the first had ended. */
function inSequence(history: History, random: Random): [AcknowledgedWrite, AcknowledgedWrite] {
  const first = random.pick(writes(history).slice(10, -50));
  const second = writes(history).find(({ start, key }) => start > first.end && key !== first.key);
  return [first, second as AcknowledgedWrite];
}

/** Renames versions in the whole history. */
function renameVersions(history: History, rename: (version: number) => number): void {
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    const record = value as Record<string, unknown>;
    for (const name of ['version', 'expected', 'after', 'requested']) {
      if (typeof record[name] === 'number') record[name] = rename(record[name]);
    }
    for (const inner of Object.values(record)) visit(inner);
  };
  visit(history);
}

/** A read of an object that had just been changed, and the state before the change. */
function staleRead(history: History, random: Random): { read: Operation; old: State | undefined } {
  const log = new ChangeLog(history);
  const found = history.operations.flatMap((read) => {
    if (read.request.kind !== 'get' || read.outcome.kind !== 'state') return [];
    const { version } = read.outcome.state;
    const written = writes(history).some((write) => write.outcome.state.version === version && write.end < read.start);
    return written ? [{ read, old: log.before(read.key, version) }] : [];
  });
  return random.pick(found);
}

function listsOf(history: History, fits: (list: List) => boolean): Array<Mutable<List>> {
  return history.lists.filter((list) => fits(list) && list.client !== 'main');
}

export const storeFaults: readonly HistoryFault[] = [
  {
    title: 'an acknowledged write was never committed',
    breaks: 'no acknowledged write is lost',
    inject: (history) => {
      const last = new Map(writes(history).map((write) => [write.key, write]));
      const log = new ChangeLog(history);
      const alive = [...last.values()].find(
        ({ key }) => log.ofKey(key).at(-1)?.state !== undefined,
      ) as AcknowledgedWrite;
      const now = log.ofKey(alive.key).at(-1)?.state as State;
      const times = { start: alive.end + 50, end: alive.end + 51 };
      const state = { ...now, patch: 'lost', version: history.endVersion - 0.5 };
      history.operations.push({
        ...{ client: 'writer-0', key: alive.key, ...times },
        ...{ request: { kind: 'patch', token: 'lost' }, outcome: { kind: 'state', state } },
      });
    },
  },
  {
    title: 'two acknowledged writes are swapped',
    breaks: 'versions follow real time',
    inject: (history, random) => {
      const [first, second] = inSequence(history, random).map(({ outcome }) => outcome.state.version) as [
        number,
        number,
      ];
      const rename = (version: number) => (version === first ? second : version === second ? first : version);
      renameVersions(history, rename);
    },
  },
  {
    title: 'one version is assigned to two writes',
    breaks: 'versions are used once',
    inject: (history, random) => {
      const [first, second] = inSequence(history, random);
      setOutcome(second, { kind: 'state', state: { ...second.outcome.state, version: first.outcome.state.version } });
    },
  },
  {
    title: 'a read is stale',
    breaks: 'objects are linearizable',
    inject: (history, random) => {
      const { read, old } = staleRead(history, random);
      setOutcome(read, old === undefined ? { kind: 'absent' } : { kind: 'state', state: old });
    },
  },
  {
    title: 'a read does not find an object',
    breaks: 'objects are linearizable',
    inject: (history, random) => setOutcome(staleRead(history, random).read, { kind: 'absent' }),
  },
  {
    title: 'a read is older than requested',
    breaks: 'reads are not older than requested',
    inject: (history, random) => {
      const log = new ChangeLog(history);
      const found = history.oldReads.filter(({ state }) => state && log.before(state.key, state.version));
      const read = random.pick(found) as Mutable<OldRead> & { state: State };
      read.requested = read.state.version;
      read.state = log.before(read.key, read.state.version) as State;
    },
  },
  {
    title: 'a patch is applied to an older state',
    breaks: 'objects are linearizable',
    inject: (history, random) => {
      const patch = random.pick(writes(history).filter(({ request }) => request.kind === 'patch'));
      setOutcome(patch, { kind: 'state', state: { ...patch.outcome.state, base: 'an-older-one' } });
    },
  },
  {
    title: 'an update with a stale version succeeds',
    breaks: 'objects are linearizable',
    inject: (history, random) => {
      const update = random.pick(
        writes(history).filter(({ request }) => request.kind === 'update'),
      ) as Mutable<Operation>;
      if (update.request.kind === 'update')
        update.request = { ...update.request, expected: update.request.expected - 1 };
    },
  },
  {
    title: 'a rejected write takes effect',
    breaks: 'objects are linearizable',
    inject: (history, random) => {
      const log = new ChangeLog(history);
      const read = random.pick(
        writes(history).filter(({ request, key, outcome: { state } }) => {
          const next = log.ofKey(key).find(({ version }) => version > state.version);
          return request.kind === 'create' && writes(history).some((o) => o.outcome.state.version === next?.version);
        }),
      );
      setOutcome(read, { kind: 'rejected' });
    },
  },
  {
    title: 'a most recent list is stale',
    breaks: 'lists are as fresh as requested',
    inject: (history, random) => {
      const [older, newer] = [0, 1].map((half) => {
        const lists = listsOf(history, ({ mode, selector }) => mode === 'recent' && selector === '');
        return random.pick(lists.slice((half * lists.length) / 2, ((half + 1) * lists.length) / 2));
      }) as [List, Mutable<List>];
      newer.pages = older.pages;
    },
  },
  {
    title: 'an exact list is at another version',
    breaks: 'lists are as fresh as requested',
    inject: (history, random) => {
      const list = random.pick(listsOf(history, ({ mode }) => mode === 'exact'));
      list.requested -= 1;
    },
  },
  {
    title: 'a list lacks an object',
    breaks: 'a list is the state at its version',
    inject: (history, random) => {
      const list = random.pick(listsOf(history, ({ pages }) => (pages[0]?.items.length ?? 0) > 0));
      const [first, ...rest] = list.pages as [Page];
      list.pages = [{ ...first, items: first.items.slice(1) }, ...rest];
    },
  },
  {
    title: 'a later page shows a later state',
    breaks: 'pages are one snapshot',
    inject: (history, random) => {
      const list = random.pick(listsOf(history, ({ pages }) => pages.length > 1));
      const [first, second, ...rest] = list.pages as [Page, Page];
      list.pages = [first, { ...second, version: second.version + 1 }, ...rest];
    },
  },
  {
    title: 'a page repeats an object',
    breaks: 'pages are one snapshot',
    inject: (history, random) => {
      const list = random.pick(listsOf(history, ({ pages }) => pages.length > 1));
      const [first, second, ...rest] = list.pages as [Page, Page];
      list.pages = [first, { ...second, items: [first.items.at(-1) as State, ...second.items] }, ...rest];
    },
  },
  {
    title: 'a list contains an object that its selector excludes',
    breaks: 'lists are filtered',
    inject: (history, random) => {
      const list = random.pick(
        listsOf(history, ({ selector, pages }) => selector === '' && pages.some(({ items }) => items.length > 5)),
      );
      const colours = new Set(list.pages.flatMap(({ items }) => items.map(({ colour }) => colour)));
      list.selector = colours.has('red') ? 'blue' : 'red';
    },
  },
];

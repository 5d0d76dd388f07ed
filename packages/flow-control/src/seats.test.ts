import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamedLevel } from './classifier.ts';
import { deal } from './deal.ts';
import type { LevelTicket as Ticket } from './level.ts';
import { Seats } from './seats.ts';
import type { FlowTally, RejectionReason } from './ticket.ts';

interface Shape {
  readonly shares: number;
  readonly lendable?: number;
  readonly borrowing?: number;
  readonly queues?: number;
  readonly length?: number;
}

function limited({ shares, lendable = 0, borrowing, queues = 0, length = 50 }: Shape): NamedLevel['spec'] {
  const queuing = { queues, handSize: Math.min(queues, 4), queueLengthLimit: length };
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: lendable,
      ...(borrowing !== undefined && { borrowingLimitPercent: borrowing }),
      limitResponse: queues === 0 ? { type: 'Reject' } : { type: 'Queue', queuing },
    },
  };
}

function room(seats: number, levels: Record<string, NamedLevel['spec']>) {
  let now = 0;
  const all = new Seats({ seats, now: () => now });
  const named = (specs: typeof levels) =>
    new Map(Object.entries(specs).map(([name, spec]) => [name, { name, uid: name, spec }]));
  all.configure(named(levels));
  const rejected: RejectionReason[] = [];
  const tally: FlowTally = {
    executing: 0,
    executingSeats: 0,
    waiting: 0,
    waitingSeats: 0,
    dispatched: 0,
    rejected: (reason) => rejected.push(reason),
    waited() {},
    served() {},
  };
  return {
    all,
    tally,
    rejected,
    configure: (specs: typeof levels) => all.configure(named(specs)),
    pass: (ms: number) => {
      now += ms;
    },
    ask: (level: string, distinguisher = 'x', wide = 1) =>
      all.request({ level, schema: 's', distinguisher, seats: wide, tally }),
  };
}

const states = (tickets: readonly Ticket[]) => tickets.map(({ state }) => state);
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

test('a level without queues rejects requests when it has no free seat', () => {
  const { all, ask, rejected } = room(2, { a: limited({ shares: 1 }) });
  const [first, second, third] = times(3, () => ask('a'));
  assert.deepEqual(states([first, second, third] as Ticket[]), ['seated', 'seated', 'rejected']);
  assert.deepEqual(rejected, ['concurrency-limit']);
  all.leave(first as Ticket);
  assert.equal(ask('a').state, 'seated');
});

test('an exempt level never waits', () => {
  const { ask } = room(1, { free: { type: 'Exempt' }, a: limited({ shares: 1 }) });
  ask('a');
  assert.ok(times(100, () => ask('free')).every(({ state }) => state === 'seated'));
});

test('a level gets its own seats, however many others have borrowed', () => {
  const { all, ask } = room(10, {
    busy: limited({ shares: 50, queues: 8 }),
    calm: limited({ shares: 50, lendable: 60, queues: 8 }),
  });
  const flood = times(30, () => ask('busy', 'noisy'));
  // its own five seats, and three that the other level lends
  assert.equal(flood.filter(({ state }) => state === 'seated').length, 8);
  assert.deepEqual(
    states(times(5, () => ask('calm'))),
    times(5, () => 'seated'),
  );
  assert.equal(ask('calm').state, 'waiting');
  // more seats are in use than exist: a returned seat is not lent again
  all.leave(flood[0] as Ticket);
  assert.equal(flood.filter(({ state }) => state === 'seated').length, 7);
});

test('a level borrows no more than it may', () => {
  const { ask } = room(10, {
    busy: limited({ shares: 50, borrowing: 20, queues: 8 }),
    calm: limited({ shares: 50, lendable: 100, queues: 8 }),
  });
  assert.equal(times(30, () => ask('busy')).filter(({ state }) => state === 'seated').length, 6);
});

test('a flow with few requests is not delayed by a flow with many', () => {
  const { all, ask, pass } = room(1, { a: limited({ shares: 1, queues: 64 }) });
  const served: string[] = [];
  const serve = (ticket: Ticket) => {
    if (ticket.state !== 'seated') return;
    pass(10);
    served.push(ticket.request.distinguisher);
  };
  const flood = times(40, () => ask('a', 'noisy'));
  const few = times(3, () => ask('a', 'quiet'));
  for (let i = 0; i < 12; i++) {
    const seated = [...flood, ...few].find(({ state }) => state === 'seated') as Ticket;
    serve(seated);
    all.leave(seated);
  }
  assert.deepEqual(served.filter((name) => name === 'quiet').length, 3);
});

test('a full queue rejects requests, and other queues still accept them', () => {
  const { ask, rejected } = room(1, { a: limited({ shares: 1, queues: 64, length: 3 }) });
  const flood = times(30, () => ask('a', 'noisy'));
  assert.equal(flood.filter(({ state }) => state === 'waiting').length, 12);
  assert.deepEqual(new Set(rejected), new Set(['queue-full']));
  assert.equal(ask('a', 'quiet').state, 'waiting');
});

test('a request that leaves its queue makes room, and gets no seats later', () => {
  const { all, ask, tally, rejected } = room(1, { a: limited({ shares: 1, queues: 4 }) });
  const [first, second, third] = times(3, () => ask('a')) as [Ticket, Ticket, Ticket];
  all.leave(second, 'time-out');
  all.leave(first);
  assert.deepEqual(states([first, second, third]), ['gone', 'rejected', 'seated']);
  assert.deepEqual([tally.waiting, tally.executing, rejected.join()], [0, 1, 'time-out']);
});

test('a request that needs more seats than its level has is served alone', () => {
  const { all, ask } = room(4, { a: limited({ shares: 1, queues: 4 }) });
  const [wide, narrow] = [ask('a', 'x', 10), ask('a', 'y')];
  assert.deepEqual([wide.state, wide.seats, narrow.state], ['seated', 4, 'waiting']);
  all.leave(wide);
  assert.equal(narrow.state, 'seated');
});

test('fewer seats limit new requests only, more seats go to waiting requests', () => {
  const { all, ask } = room(10, { a: limited({ shares: 1, queues: 8 }) });
  const tickets = times(10, () => ask('a'));
  all.scale(2);
  all.leave(tickets[0] as Ticket);
  const next = ask('a');
  assert.deepEqual([all.inUse, next.state], [9, 'waiting']);
  all.scale(10);
  assert.equal(next.state, 'seated');
});

test('a deleted level ends with its last request, and a changed level keeps its waiting requests', () => {
  const spec = limited({ shares: 1, queues: 4 });
  const { all, ask, tally, configure } = room(2, { a: spec, b: spec });
  const [first, second] = [ask('a'), ask('a')];
  configure({ a: limited({ shares: 1, queues: 16 }), b: spec });
  assert.deepEqual([second.state, tally.waiting], ['waiting', 1]);
  configure({ b: spec });
  assert.equal([...all.levels].length, 2);
  all.leave(first);
  assert.equal(second.state, 'seated');
  all.leave(second);
  assert.deepEqual(
    [...all.levels].map(({ name }) => name),
    ['b'],
  );
});

test('the hand of a flow is always the same, has no queue twice, and all queues are used evenly', () => {
  const counts = new Array<number>(16).fill(0);
  for (let i = 0; i < 4000; i++) {
    const hand = deal(`flow ${i}`, 16, 4);
    assert.equal(new Set(hand).size, 4);
    for (const card of hand) counts[card] = (counts[card] as number) + 1;
  }
  assert.ok(Math.min(...counts) > 850 && Math.max(...counts) < 1150, counts.join());
  assert.deepEqual(deal('flow', 16, 4), deal('flow', 16, 4));
  assert.deepEqual([...deal('flow', 3, 9)].sort(), [0, 1, 2]);
});

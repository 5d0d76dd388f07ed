import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventWindow, type Item, itemOf, itemParts } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import type { Change } from '@tidegate/wire';
import { json } from '../codec/encodings.ts';
import { EventFrames } from '../codec/event-frames.ts';
import { PastEvents } from './past-events.ts';

function change(revision: number, kind: Change['kind'], name: string, color: string): Change {
  const value = Buffer.from(`{"metadata":{"name":"${name}"},"color":"${color}"}`);
  return {
    kind,
    key: { resource: 'r', namespace: 'n', name },
    revision,
    previousRevision: 0,
    value,
    splice: value.indexOf('}'),
    selection: Buffer.from(JSON.stringify({ labels: { color } })),
    uid: '',
    deleting: false,
    traceparent: '',
    byReference: false,
    corrupt: '',
  };
}

const [CREATE, UPDATE, DELETE] = [0, 1, 2] as const;
const form = {
  encoding: json,
  plain: true,
  item: ({ json: bytes }: Item) => bytes,
  recent: (item: Item, revision: Revision) => item.jsonAt(revision),
  bookmark: () => Buffer.from('{}'),
};
const red = {
  everything: false,
  selective: true,
  namespace: '',
  matches: (item: Item) => item.labels.color === 'red',
  isAbout: () => true,
};
const all = { everything: true, selective: false, namespace: '', matches: () => true, isAbout: () => true };

/** The events of a watch, as "TYPE name color revision". */
function eventsOf(selection: typeof red, base: readonly Change[], changes: readonly Change[]): string[] {
  const past = new PastEvents(selection);
  for (const state of base) past.begin(itemOf(itemParts(state)));
  const window = new EventWindow(toRevision(0));
  for (const each of changes) window.append(past.event(each));
  const { bytes } = new EventFrames(selection, form as never).slice(window, window.start, 1 << 20);
  const events = bytes.toString().trim().split('\n').filter(Boolean);
  return events.map((line) => {
    const { type, object } = JSON.parse(line);
    return `${type} ${object.metadata.name} ${object.color} ${object.metadata.resourceVersion}`;
  });
}

const history = [
  change(11, UPDATE, 'a', 'blue'),
  change(12, UPDATE, 'b', 'red'),
  change(13, UPDATE, 'b', 'red'),
  change(14, CREATE, 'c', 'red'),
  change(15, CREATE, 'd', 'blue'),
  change(16, DELETE, 'c', 'red'),
  change(17, DELETE, 'd', 'blue'),
  change(18, UPDATE, 'b', 'blue'),
  change(19, UPDATE, 'a', 'red'),
  change(20, DELETE, 'a', 'red'),
  change(21, CREATE, 'a', 'red'),
];
const base = [change(5, CREATE, 'a', 'red'), change(6, CREATE, 'b', 'blue')];

test('without a selector each change keeps its kind', () => {
  assert.deepEqual(
    eventsOf(all, [], history).map((line) => line.replace(/ (red|blue) /, ' ')),
    [
      ...['MODIFIED a 11', 'MODIFIED b 12', 'MODIFIED b 13', 'ADDED c 14', 'ADDED d 15', 'DELETED c 16'],
      ...['DELETED d 17', 'MODIFIED b 18', 'MODIFIED a 19', 'DELETED a 20', 'ADDED a 21'],
    ],
  );
});

test('with a selector an object is added when it is first selected, and deleted with its last selected state', () => {
  assert.deepEqual(eventsOf(red, base, history), [
    'DELETED a red 11',
    'ADDED b red 12',
    'MODIFIED b red 13',
    'ADDED c red 14',
    'DELETED c red 16',
    'DELETED b red 18',
    'ADDED a red 19',
    'DELETED a red 20',
    'ADDED a red 21',
  ]);
});

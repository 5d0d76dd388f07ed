import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
import { LiveView, type ViewOptions } from './live-view.ts';
import { LiveViews } from './live-views.ts';

const RESOURCE = 'things';

/** A mirror that the test fills. */
function fixture(options: Partial<ViewOptions<unknown>> = {}) {
  const items = new Map<string, { namespace: string; name: string; revision: number; json: Buffer }>();
  const reported: string[] = [];
  let parsed = 0;
  let follower = () => {};
  let through: number | undefined;
  const collection = () =>
    through === undefined
      ? undefined
      : ({
          through,
          snapshot: () => ({ runs: () => [{ items: [...items.values()], from: 0, to: items.size }] }),
        } as unknown as Collection);
  const view = new LiveView<unknown>({
    resource: RESOURCE,
    mirrors: {
      keep: () => {},
      follow: (_resource: string, changed: () => void) => {
        follower = changed;
      },
      peek: collection,
      collection: async (_resource: string, revision: Revision) =>
        through !== undefined && through >= revision ? collection() : undefined,
    },
    make: (object) => {
      parsed++;
      return object.says;
    },
    changed: ({ added, removed }) => {
      const words = (entries: typeof added) => entries.map(({ name, made }) => `${name}=${made}`).join(' ');
      reported.push(`+${words(added)} -${words(removed)}`);
    },
    unknown: 'the things are not loaded yet',
    ...options,
  });
  view.start();
  return {
    view,
    reported,
    get parsed() {
      return parsed;
    },
    put(name: string, content: JsonObject) {
      through = (through ?? 0) + 1;
      items.set(name, { namespace: '', name, revision: through, json: Buffer.from(JSON.stringify(content)) });
      follower();
    },
    remove(name: string) {
      through = (through ?? 0) + 1;
      items.delete(name);
      follower();
    },
  };
}

test('A view holds one value for each object, and parses each revision of an object once.', () => {
  const at = fixture();
  at.put('a', { says: 1 });
  at.put('b', { says: 2 });
  at.put('a', { says: 3 });
  at.remove('b');
  assert.deepEqual(at.view.values, [3]);
  assert.equal(at.view.get('a'), 3);
  assert.equal(at.parsed, 3);
  assert.deepEqual(at.reported, ['+a=1 -', '+b=2 -', '+a=3 -a=1', '+ -b=2']);
});

test('A revision with the same value is not reported as a change.', () => {
  const at = fixture({ make: (object, _place, before) => (object.says === before ? before : object.says) });
  at.put('a', { says: 'x' });
  at.put('a', { says: 'x', more: true });
  assert.deepEqual(at.reported, ['+a=x -']);
});

test('through() resolves when the view includes the revision, and rejects after its timeout.', async () => {
  const at = fixture();
  await assert.rejects(at.view.known(), /the things are not loaded yet/);
  at.put('a', { says: 1 });
  await at.view.through(toRevision(1));
  assert.ok(at.view.isKnown);
  await assert.rejects(at.view.through(toRevision(2)), /the things are not loaded yet/);
});

test('An empty view reports once that it is loaded.', async () => {
  const at = fixture();
  at.put('a', { says: 1 });
  at.remove('a');
  const empty = fixture();
  empty.remove('nothing');
  assert.ok(empty.view.isKnown);
  assert.deepEqual(empty.reported, ['+ -']);
});

test('A write waits for all views of its resource; a failing view is reported, but does not fail the write.', async () => {
  const met: unknown[] = [];
  const views = new LiveViews({
    track: async (work: Promise<unknown>) => {
      try {
        await work;
      } catch (error) {
        met.push(error);
      }
    },
  } as never);
  const called: string[] = [];
  const view = (name: string, failure?: Error) => ({
    resource: RESOURCE,
    through: async () => {
      called.push(name);
      if (failure !== undefined) throw failure;
    },
  });
  const failure = new Error('too late');
  views.add(view('one', failure), view('two'));
  await views.through('others', toRevision(1));
  await views.through(RESOURCE, toRevision(1));
  assert.deepEqual(called, ['one', 'two']);
  assert.deepEqual(met, [failure]);
});

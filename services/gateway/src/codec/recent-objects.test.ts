import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Accepted } from '../request/answer-form.ts';
import { json, protobuf } from './encodings.ts';
import { commonForm } from './object-form.ts';
import { RecentObjects, type Stored } from './recent-objects.ts';

const isWatched = (resource: string) => resource === 'pods';

/** An object of a revision, which counts how often its bytes are read. */
function stored(revision: number, bytes = 100): Stored & { reads: number } {
  const text = JSON.stringify({ metadata: { name: `object-${revision}` }, data: 'x'.repeat(bytes - 50) });
  const object = {
    resource: 'pods',
    revision,
    uid: `uid-${revision}`,
    reads: 0,
    json: () => {
      object.reads++;
      return Buffer.from(text);
    },
  };
  return object;
}

const form = {
  name: 'upper case',
  encoded: 0,
  encode(object: JsonObject) {
    this.encoded++;
    return Buffer.from(JSON.stringify(object).toUpperCase());
  },
};

test('Each state is parsed once and encoded once in each form, and nobody can change it.', () => {
  const recent = new RecentObjects({ isWatched });
  const one = stored(1);
  const object = recent.parsed(one);
  assert.equal(recent.parsed(one), object);
  assert.equal(recent.encoded(form, one), recent.encoded(form, one));
  assert.deepEqual([one.reads, form.encoded], [1, 1]);
  assert.throws(() => {
    (object.metadata as JsonObject).name = 'other';
  }, TypeError);
});

test('Another revision of the same object is another state.', () => {
  const recent = new RecentObjects({ isWatched });
  assert.notEqual(recent.parsed(stored(1)), recent.parsed(stored(2)));
});

test('The oldest states are forgotten when the bytes of all exceed the limit.', () => {
  const recent = new RecentObjects({ isWatched, maxBytes: 1000 });
  const all = Array.from({ length: 12 }, (_, i) => stored(i));
  for (const one of all) recent.parsed(one);
  for (const one of all.toReversed()) recent.parsed(one);
  const keptCount = all.filter(({ reads }) => reads === 1).length;
  assert.ok(keptCount >= 9 && keptCount <= 11, `${keptCount} of 12 were kept`);
  assert.ok((all[0] as { reads: number }).reads === 2, 'the first one was forgotten');
});

test('A large object does not displace small ones.', () => {
  const recent = new RecentObjects({ isWatched, maxBytes: 100_000 });
  const [small, large] = [stored(1), stored(2, 90_000)];
  for (const one of [small, large, large, small]) recent.parsed(one);
  assert.deepEqual([small.reads, large.reads], [1, 2]);
});

test('Objects of a collection without watchers are not kept.', () => {
  const recent = new RecentObjects({ isWatched });
  const one = { ...stored(1), resource: 'configmaps' };
  assert.notEqual(recent.parsed(one), recent.parsed(one));
  assert.deepEqual(recent.encoded(form, one), recent.encoded(form, one));
});

test('An object that is at hand is not parsed again.', () => {
  const recent = new RecentObjects({ isWatched });
  for (const resource of ['pods', 'configmaps']) {
    const one = { ...stored(1), resource, object: () => ({ kind: 'Other' }) };
    assert.equal(
      recent.encoded({ name: 'kind', encode: ({ kind }) => Buffer.from(String(kind)) }, one).toString(),
      'Other',
    );
  }
});

test('Answers and watches share only forms that follow from the stored state alone.', () => {
  const registry = builtInRegistry();
  const kindOf = (group: string, version: string, resource: string) => registry.find(group, version, resource) as Kind;
  const accepted = (encoding: Accepted['encoding'], as: Accepted['as'], metaVersion = ''): Accepted => ({
    encoding,
    as,
    metaVersion,
    mediaType: '',
    pretty: false,
  });
  const pods = kindOf('', 'v1', 'pods');
  const nameOf = (kind: Kind, form: Accepted) => commonForm(kind, form)?.name;
  assert.equal(nameOf(pods, accepted(protobuf, 'object')), 'protobuf object ');
  assert.equal(nameOf(pods, accepted(json, 'metadata', 'meta.k8s.io/v1')), 'json metadata meta.k8s.io/v1');
  assert.equal(nameOf(pods, accepted(json, 'object')), undefined, 'the stored bytes are sent as they are');
  assert.equal(nameOf(pods, accepted(protobuf, 'table')), undefined, 'only the first event has the columns');
  const converted = kindOf('autoscaling', 'v1', 'horizontalpodautoscalers');
  assert.equal(nameOf(converted, accepted(protobuf, 'object')), undefined, 'it is stored in another version');
});

test('A broken store that gives a revision twice does not mix up two objects.', () => {
  const recent = new RecentObjects({ isWatched });
  const one = stored(1);
  const other = {
    resource: 'pods',
    revision: 1,
    uid: 'other',
    json: () => Buffer.from('{"metadata":{"name":"other"}}'),
  };
  recent.parsed(one);
  assert.deepEqual(recent.parsed(other), { metadata: { name: 'other' } });
  assert.deepEqual((recent.parsed(one).metadata as JsonObject).name, 'object-1');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject, type Schema, strategicMerge } from '@tidegate/schema';
import { Random } from '@tidegate/testkit';
import { applyJsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';

const ROUNDS = 2000;

const NAMES = ['a', 'b', '__proto__', 'constructor', 'e/f', 'g~h'];

function randomObject(random: Random, nulls: boolean, depth = 3): JsonObject {
  const entries = NAMES.filter(() => random.below(2) === 0).map(
    (name) => [name, randomValue(random, nulls, depth)] as const,
  );
  return Object.fromEntries(entries);
}

function randomValue(random: Random, nulls: boolean, depth: number): Json {
  if (nulls && random.below(4) === 0) return null;
  if (depth > 0 && random.below(2) === 0) return randomObject(random, nulls, depth - 1);
  return random.below(3) === 0 ? [random.below(3), 'x'] : random.below(5);
}

/** What takes a merge patch back. */
function inverse(before: JsonObject, patch: JsonObject): JsonObject {
  const entries = Object.keys(patch).map((name): readonly [string, Json] => {
    if (!Object.hasOwn(before, name)) return [name, null];
    const [old, change] = [before[name] as Json, patch[name] as Json];
    return [name, isJsonObject(old) && isJsonObject(change) ? inverse(old, change) : old];
  });
  return Object.fromEntries(entries);
}

test('a merge patch and its inverse leave everything as it was', () => {
  const random = new Random(1);
  for (let i = 0; i < ROUNDS; i++) {
    const [before, patch] = [randomObject(random, false), randomObject(random, true)];
    const kept = structuredClone(before);
    const after = mergePatch(before, patch) as JsonObject;
    assert.deepEqual(before, kept, 'the state that is patched is left alone');
    assert.deepEqual(mergePatch(after, inverse(before, patch)), before);
    assert.deepEqual(mergePatch(after, patch), after, 'a second time changes nothing');
  }
});

test('a JSON patch and its inverse leave everything as it was', () => {
  const random = new Random(3);
  for (let i = 0; i < ROUNDS; i++) {
    const before = randomObject(random, false);
    const [operations, back] = randomOperations(random, before);
    const after = applyJsonPatch(before, operations as JsonObject[]);
    assert.deepEqual(applyJsonPatch(after, back as JsonObject[]), before);
  }
});

/** Operations on names of the object itself, with those that take them back. */
function randomOperations(random: Random, before: JsonObject): [JsonObject[], JsonObject[]] {
  const operations: JsonObject[] = [];
  const back: JsonObject[] = [];
  for (const name of NAMES.filter(() => random.below(2) === 0)) {
    const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = randomValue(random, false, 1);
    if (!Object.hasOwn(before, name)) {
      operations.push({ op: 'add', path, value });
      back.unshift({ op: 'remove', path });
    } else if (random.below(2) === 0) {
      operations.push({ op: 'test', path, value: before[name] as Json }, { op: 'replace', path, value });
      back.unshift({ op: 'replace', path, value: before[name] as Json });
    } else {
      operations.push({ op: 'remove', path });
      back.unshift({ op: 'add', path, value: before[name] as Json });
    }
  }
  return [operations, back];
}

const item: Schema = { type: 'object', fields: { name: { type: 'string' }, value: { type: 'string' } } };
const schema: Schema & { type: 'object' } = {
  type: 'object',
  fields: {
    items: { type: 'list', items: item, patch: { strategies: ['merge'], mergeKey: 'name' } },
    set: { type: 'list', items: { type: 'string' }, patch: { strategies: ['merge'] } },
    map: { type: 'map', values: { type: 'string' } },
  },
};

test('strategic merge patches of different items may come in any order, and a second time changes nothing', () => {
  const random = new Random(4);
  const items = (names: readonly string[]) =>
    names.filter(() => random.below(2) === 0).map((name) => ({ name, value: String(random.below(3)) }));
  const sorted = (state: JsonObject) =>
    [...(state.items as JsonObject[])].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
  for (let i = 0; i < ROUNDS; i++) {
    const state: JsonObject = { items: items(['a', 'b', 'c', 'd']) };
    const [one, two] = [{ items: items(['a', 'b']) }, { items: items(['c', 'd']) }];
    const both = strategicMerge(schema, strategicMerge(schema, state, one), two);
    assert.deepEqual(sorted(both), sorted(strategicMerge(schema, strategicMerge(schema, state, two), one)));
    assert.deepEqual(sorted(strategicMerge(schema, both, two)), sorted(both));
  }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { ConflictingOwners } from '@tidegate/managed-fields';
import { type Managed, type PublishedSchema, plain, run, type Step } from '@tidegate/managed-fields/testing';
import type { Json, JsonObject } from '@tidegate/schema';
import { Random } from '@tidegate/testkit';
import { programPath, whyNoProgram } from './support/cached-go-program.ts';

const MERGE = { name: 'go-merge', modules: ['sigs.k8s.io/structured-merge-diff/v6@v6.3.0'] };
const STEPS = 3000;

const scalar = (name: string) => ({ name, type: { scalar: 'string' } });
const named = (name: string, namedType: string) => ({ name, type: { namedType } });

/** All kinds of ownership of fields, also nested. */
const schema: PublishedSchema = {
  types: [
    {
      name: 'thing',
      map: {
        fields: [
          scalar('a'),
          scalar('b'),
          named('part', 'part'),
          named('whole', 'whole'),
          named('labels', 'labels'),
          named('set', 'set'),
          named('items', 'items'),
          named('ports', 'ports'),
          { name: 'list', type: { list: { elementType: { scalar: 'string' }, elementRelationship: 'atomic' } } },
        ],
      },
    },
    { name: 'part', map: { fields: [scalar('a'), named('labels', 'labels'), named('items', 'items')] } },
    { name: 'whole', map: { elementRelationship: 'atomic', fields: [scalar('a'), scalar('b')] } },
    { name: 'labels', map: { elementType: { scalar: 'string' } } },
    { name: 'set', list: { elementType: { scalar: 'string' }, elementRelationship: 'associative' } },
    {
      name: 'items',
      list: { elementType: { namedType: 'item' }, elementRelationship: 'associative', keys: ['name'] },
    },
    { name: 'item', map: { fields: [scalar('name'), scalar('value'), named('labels', 'labels')] } },
    {
      name: 'ports',
      list: { elementType: { namedType: 'port' }, elementRelationship: 'associative', keys: ['port', 'protocol'] },
    },
    {
      name: 'port',
      map: {
        fields: [
          { name: 'port', type: { scalar: 'numeric' } },
          { name: 'protocol', type: { scalar: 'string' }, default: 'TCP' },
          scalar('name'),
        ],
      },
    },
  ],
};

function randomThing(random: Random): JsonObject {
  const word = () => ['x', 'y', 'z', 'é', '<&>', '\u{1f600}'][random.below(6)] as string;
  const maybe = (fill: () => Json): Json | undefined =>
    random.below(3) === 0 ? undefined : random.below(14) === 0 ? null : fill();
  const object = (fields: Record<string, () => Json>): JsonObject => {
    const made = Object.entries(fields).map(([name, fill]) => [name, maybe(fill)] as const);
    return Object.fromEntries(made.filter(([, value]) => value !== undefined)) as JsonObject;
  };
  const some = (fill: (i: number) => Json): Json[] =>
    shuffled(
      ['p', 'q', 'r', 's'].flatMap((_, i) => (random.below(2) === 0 ? [] : [fill(i)])),
      random,
    );
  const labels = () => Object.fromEntries(some((i) => `k${i}`).map((key) => [key as string, word()]));
  const items = () => some((i) => ({ name: `n${i}`, ...object({ value: word, labels }) }));
  return object({
    a: word,
    b: word,
    part: () => object({ a: word, labels, items }),
    whole: () => object({ a: word, b: word }),
    labels,
    set: () => some((i) => `v${i}`),
    items,
    ports: () =>
      some((i) => ({ port: 80 + (i >> 1), ...(i % 2 === 0 ? {} : { protocol: 'UDP' }), ...object({ name: word }) })),
    list: () => some(word),
  });
}

function shuffled(list: Json[], random: Random): Json[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j] as Json, list[i] as Json];
  }
  return list;
}

interface Outcome {
  result?: JsonObject;
  resultManagers?: Record<string, Managed>;
  conflicts?: string[];
  error?: string;
}

test('Random updates and applies have the same results and owners as in structured-merge-diff.', {
  skip: whyNoProgram(MERGE) ?? false,
}, async (t) => {
  const seed = Number(process.env.SEED ?? 20260101);
  t.diagnostic(`SEED=${seed}`);
  const random = new Random(seed);
  const child = spawn(programPath(MERGE), { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify(schema)}\n`);
  let [live, managers]: [JsonObject | null, Record<string, Managed>] = [null, {}];
  const count = { updates: 0, applies: 0, conflicts: 0 };
  for (let i = 0; i < STEPS; i++) {
    if (i % 12 === 0) [live, managers] = [null, {}];
    const applies = random.below(3) > 0;
    const manager = applies ? `applier-${random.below(3)}` : `updater-${random.below(2)}`;
    const step: Step = {
      op: applies ? 'apply' : 'update',
      schema: '',
      type: 'thing',
      version: 'v1',
      manager,
      force: applies && random.below(2) === 0,
      live,
      object: randomThing(random),
      managers,
    };
    child.stdin.write(`${JSON.stringify(step)}\n`);
    const expected = JSON.parse(String((await lines.next()).value)) as Outcome;
    // structured-merge-diff omits empty values
    if (expected.conflicts === undefined) Object.assign(expected, { result: {}, resultManagers: {}, ...expected });
    const found = outcomeOf(step);
    assert.deepEqual(found, expected, JSON.stringify(step));
    if (expected.conflicts !== undefined) count.conflicts++;
    else {
      count[applies ? 'applies' : 'updates']++;
      [live, managers] = [expected.result ?? null, expected.resultManagers ?? {}];
      const again = outcomeOf({ ...step, live, managers });
      // empty values have a different effect on existing and missing fields
      if (applies && !/null|\{\}|\[\]/.test(JSON.stringify(step.object)))
        assert.deepEqual(again, expected, `applied twice: ${JSON.stringify(step)}`);
    }
  }
  child.stdin.end();
  await once(child, 'close');
  assert.ok(Math.min(count.updates, count.applies, count.conflicts) > STEPS / 20, JSON.stringify(count));
});

function outcomeOf(step: Step): Outcome {
  try {
    const { object, owners } = run(schema, step);
    return { result: object, resultManagers: plain(owners) };
  } catch (error) {
    if (!(error instanceof ConflictingOwners)) throw error;
    const conflicts = error.causes.map(({ message, field }) => `${/"(.*?)"/.exec(message ?? '')?.[1]} ${field}`);
    return { conflicts: conflicts.sort() };
  }
}

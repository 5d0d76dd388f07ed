import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { Random } from '@tidegate/testkit';
import { mutateValue } from '../testing/fuzz/mutate.ts';
import { answeredObjects, WrongAnswer } from './call-converter.ts';

const object = (name: string): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Port',
  metadata: { name, namespace: 'n', uid: `uid-${name}`, labels: { 'old label': 'kept' }, generation: 2 },
  spec: { host: 'h' },
});

const converted = (name: string, metadata: JsonObject = {}): JsonObject => {
  const before = object(name);
  return { ...before, apiVersion: 'example.com/v2', metadata: { ...(before.metadata as JsonObject), ...metadata } };
};

const success = { status: 'Success' };

function request(...names: string[]) {
  return { uid: 'u', review: 'v1', desired: 'example.com/v2', objects: names.map(object) } as const;
}

function answer(convertedObjects: unknown, more: JsonObject = {}): JsonObject {
  const response = { uid: 'u', result: success, convertedObjects, ...more } as JsonObject;
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

function words(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof WrongAnswer);
    return error.message;
  }
  return '';
}

test('A converter can change only the labels and annotations of the metadata.', () => {
  const overreaching = converted('a', {
    labels: { new: 'l' },
    annotations: { b: 'c' },
    generation: 9,
    finalizers: ['x/y'],
  });
  const [made] = answeredObjects(answer([overreaching]), request('a'));
  const { metadata } = object('a') as { metadata: JsonObject };
  assert.deepEqual(made?.metadata, { ...metadata, labels: { new: 'l' }, annotations: { b: 'c' } });
});

test('Labels that the converter removes or sets to null are removed; stored ones are not validated again.', () => {
  const one = (metadata: JsonObject) =>
    (answeredObjects(answer([converted('a', metadata)]), request('a')) as Array<{ metadata: JsonObject }>)[0]?.metadata
      .labels;
  assert.equal(one({ labels: null }), undefined);
  assert.deepEqual(one({}), { 'old label': 'kept' });
});

test('The error names the index of the wrong object.', () => {
  const other = converted('b', { name: 'c' });
  assert.equal(
    words(() => answeredObjects(answer([converted('a'), other]), request('a', 'b'))),
    'returned invalid converted object at index 1: must have the same name: b != c',
  );
  assert.equal(
    words(() => answeredObjects(answer([converted('a'), converted('b', { labels: [] })]), request('a', 'b'))),
    'returned invalid metadata in object at index 1: invalid metadata.labels of type array in converted object',
  );
  assert.equal(
    words(() => answeredObjects(answer([converted('a')]), request('a', 'b'))),
    'returned 1 objects, expected 2',
  );
});

test('A v1beta1 review may omit the uid of the request.', () => {
  const { response } = answer([converted('a')], { uid: '' }) as { response: JsonObject };
  assert.equal(answeredObjects({ response }, { ...request('a'), review: 'v1beta1' }).length, 1);
  assert.match(
    words(() => answeredObjects({ response }, request('a'))),
    /^failed: expected webhook response of apiextensions.k8s.io\/v1, Kind=ConversionReview, got , Kind=$/,
  );
});

test('Malformed answers are reported as failures.', () => {
  const malformed: unknown[] = [undefined, null, 'text', [], { uid: 'u' }, { uid: 'u', result: 'Success' }];
  for (const response of malformed) {
    const whole = { ...answer([]), response } as JsonObject;
    assert.match(
      words(() => answeredObjects(whole, request('a'))),
      /^failed: /,
    );
  }
  assert.equal(
    words(() => answeredObjects(answer([null]), request('a'))),
    'returned invalid object at index 0: it is not a JSON object',
  );
  assert.equal(
    words(() => answeredObjects(answer('many'), request('a'))),
    'returned 0 objects, expected 1',
  );
});

test('Any answer gives either the same objects in the requested version or a WrongAnswer.', () => {
  const random = new Random(7);
  let taken = 0;
  for (let run = 0; run < 3000; run++) {
    const objects = [converted('a', { annotations: { b: 'c' } }), converted('b')];
    const changed = random.chance(0.5) ? mutateValue(answer(objects), random) : answer(mutateValue(objects, random));
    try {
      const made = answeredObjects(isJsonObject(changed) ? changed : {}, request('a', 'b'));
      const told = made.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, (metadata as JsonObject).uid]);
      assert.deepEqual(told, [
        ['example.com/v2', 'Port', 'uid-a'],
        ['example.com/v2', 'Port', 'uid-b'],
      ]);
      taken++;
    } catch (error) {
      if (!(error instanceof WrongAnswer)) throw error;
    }
  }
  assert.ok(taken > 50, String(taken));
});

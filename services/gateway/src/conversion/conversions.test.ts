import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Item, itemOf, WindowMemory } from '@tidegate/collection';
import { builtInRegistry, type Kind, kindsOf, readDefinition } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
import { MetricRegistry } from '@tidegate/service-kit';
import { ApiError } from '@tidegate/status';
import { Unanswered, type WebhookCall, type WebhookCalls } from '../callouts/webhook-calls.ts';
import { storedForm } from '../codec/stored-form.ts';
import { declareMetrics } from '../metrics.ts';
import { Conversions } from './conversions.ts';

const scale = builtInRegistry().find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
if (scale === undefined) throw new Error('deployments have a scale');

function kinds(generation = 1): { v1: Kind; v2: Kind } {
  const names = { plural: 'ports', singular: 'port', kind: 'Port', listKind: 'PortList' };
  const version = (name: string, storage: boolean, field: string) => {
    const spec = {
      type: 'object',
      properties: { [field]: { type: 'string' }, mode: { type: 'string', default: 'm' } },
    };
    return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
  };
  const webhook = { clientConfig: { url: 'https://a.b/c' }, conversionReviewVersions: ['v1'] };
  const definition = readDefinition({
    metadata: { name: 'ports.example.com', generation },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [version('v1', true, 'host'), version('v2', false, 'address')],
      conversion: { strategy: 'Webhook', webhook },
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] },
  } as JsonObject);
  const [v2, v1] = kindsOf(definition, scale as NonNullable<typeof scale>) as [Kind, Kind];
  return { v1, v2 };
}

const { v1, v2 } = kinds();

function stored(revision: number, host = 'h'): Item {
  const object = { metadata: { name: `a${revision}`, namespace: 'n', uid: `u${revision}` }, spec: { host, mode: 'm' } };
  const { value, splice, selection } = storedForm(v1, object);
  const head = { namespace: 'n', name: `a${revision}`, revision: toRevision(revision), uid: `u${revision}` };
  return itemOf({ ...head, deleting: false, value, splice, selection });
}

/** A converter that records its calls, and fails for objects whose host is `bad`. */
function converter(answering?: Promise<void>) {
  const calls: string[][] = [];
  const call = async ({ body }: WebhookCall): Promise<JsonObject> => {
    const { uid, desiredAPIVersion, objects } = body.request as unknown as {
      uid: string;
      desiredAPIVersion: string;
      objects: Array<{ metadata: { name: string }; spec: JsonObject }>;
    };
    calls.push(objects.map(({ metadata }) => metadata.name));
    await answering;
    const isBad = objects.some(({ spec }) => spec.host === 'bad');
    if (objects.some(({ spec }) => spec.host === 'silent'))
      throw new Unanswered('Post: too late', { details: 'Post: too late', cause: undefined });
    const convertedObjects = objects.map((object) => ({
      ...object,
      apiVersion: desiredAPIVersion,
      spec: { address: object.spec.host, host: object.spec.address, other: 1 },
    }));
    const result = isBad ? { status: 'Failure', message: 'no' } : { status: 'Success' };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid, result, convertedObjects } as unknown as JsonObject,
    };
  };
  const metrics = declareMetrics(new MetricRegistry(), new WindowMemory({ bytes: 1 }));
  const webhooks = { call } as unknown as WebhookCalls;
  return { calls, conversions: new Conversions({ webhooks, metrics }) };
}

const json = (item: Item | undefined) => JSON.parse(item?.json.toString() ?? '{}');

test('A state is read in the requested version, with its own revision and only the fields of that version.', async () => {
  const { conversions } = converter();
  const [shown] = await conversions.read(v2, [stored(7)]);
  assert.deepEqual(json(shown), {
    kind: 'Port',
    apiVersion: 'example.com/v2',
    metadata: { name: 'a7', namespace: 'n', uid: 'u7', resourceVersion: '7' },
    spec: { address: 'h' },
  });
});

test('Concurrent readers of a state share one call, and later readers need none.', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { calls, conversions } = converter(promise);
  const reads = [conversions.read(v2, [stored(1), stored(2)]), conversions.read(v2, [stored(2), stored(3)])];
  resolve();
  const names = (await Promise.all(reads)).map((items) => items.map(({ name }) => name));
  assert.deepEqual(names, [
    ['a1', 'a2'],
    ['a2', 'a3'],
  ]);
  await conversions.read(v2, [stored(3), stored(1), stored(3)]);
  assert.deepEqual(calls.flat().sort(), ['a1', 'a2', 'a3']);
});

test('No webhook is called for states that have the requested version, or for an empty list.', async () => {
  const { calls, conversions } = converter();
  const item = stored(1);
  assert.deepEqual(await conversions.read(v1, [item]), [item]);
  assert.deepEqual(await conversions.read(v2, []), []);
  assert.deepEqual(calls, []);
});

test('After a change of the definition, states of the same version are decoded again without a webhook call.', async () => {
  const { calls, conversions } = converter();
  const { v1: changed } = kinds(2);
  const form = storedForm(changed, { metadata: { name: 'a1', uid: 'u1' }, spec: { host: 'h', gone: 1 } });
  const head = { namespace: '', name: 'a1', revision: toRevision(1), uid: 'u1', deleting: false };
  const [shown] = await conversions.read(changed, [itemOf({ ...head, ...form })]);
  assert.deepEqual(json(shown).spec, { host: 'h', mode: 'm' });
  assert.deepEqual(calls, []);
});

test('A failure of one object of a batch does not fail the others, and is not cached.', async () => {
  const { conversions } = converter();
  const both = [stored(1), stored(2, 'bad')];
  const [list, one] = await Promise.allSettled([conversions.read(v2, both), conversions.read(v2, [stored(1)])]);
  assert.equal(one.status, 'fulfilled');
  assert.ok(list.status === 'rejected' && list.reason instanceof ApiError);
  assert.equal(list.reason.message, 'conversion webhook for example.com/v1, Kind=Port failed: no');
  assert.equal(list.reason.code, 500);
  await assert.rejects(conversions.read(v2, [stored(2, 'bad')]));
});

test('The events before the first one that cannot be converted are delivered.', async () => {
  const { conversions } = converter();
  const items = ['h', 'h', 'h', 'h', 'bad', 'h', 'bad'].map((host, index) => stored(index + 1, host));
  const prefix = await conversions.readPrefix(v2, items);
  assert.deepEqual(
    prefix.items.map(({ name }) => name),
    ['a1', 'a2', 'a3', 'a4'],
  );
  assert.match(prefix.failure?.message ?? '', /failed: no$/);
});

test('A converter that does not answer is called once for all waiting readers, and not for each object.', async () => {
  const { calls, conversions } = converter();
  const [first, second] = await Promise.all([
    conversions.readPrefix(v2, [stored(1), stored(2, 'silent'), stored(3)]),
    conversions.readPrefix(v2, [stored(3)]),
  ]);
  assert.deepEqual([first.items, second.items], [[], []]);
  assert.match(second.failure?.message ?? '', /failed: Post: too late$/);
  assert.equal(calls.length, 1);
});

test('A written object is stored in the stored version with its defaults, and returned as a later read returns it.', async () => {
  const { conversions } = converter();
  const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '3' };
  const object = { apiVersion: 'example.com/v2', kind: 'Port', metadata, spec: { address: 'h', mode: 'lost' } };
  const written = await conversions.written(v2, object);
  assert.deepEqual(JSON.parse(written.stored.value.toString()).spec, { host: 'h', mode: 'm' });
  const shown = JSON.parse(written.shown.value.toString());
  assert.deepEqual(
    [shown.apiVersion, shown.spec, shown.metadata.resourceVersion],
    ['example.com/v2', { address: 'h' }, undefined],
  );
});

test('Many objects are converted in batches of five hundred.', async () => {
  const { calls, conversions } = converter();
  const items = Array.from({ length: 1001 }, (_, index) => stored(index + 1));
  assert.equal((await conversions.read(v2, items)).length, 1001);
  assert.deepEqual(
    calls.map(({ length }) => length),
    [500, 500, 1],
  );
});

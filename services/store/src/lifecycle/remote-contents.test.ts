import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RemoteGroup } from './api-services.ts';
import type { GatewayAnswer, GatewayClient } from './gateway-client.ts';
import { RemoteContents } from './remote-contents.ts';

const ROOT = '/apis/fruit.io/v1';
const APPLES = `${ROOT}/namespaces/a/apples`;

interface Server {
  readonly contents: RemoteContents;
  readonly asked: string[];
}

/** Answers in turn, the last one for ever; what has none is not there. */
function server(answers: Readonly<Record<string, readonly GatewayAnswer[]>>, groups?: readonly RemoteGroup[]): Server {
  const asked: string[] = [];
  const send = async (method: string, path: string): Promise<GatewayAnswer> => {
    const at = asked.filter((one) => one === `${method} ${path}`).length;
    asked.push(`${method} ${path}`);
    const all = answers[`${method} ${path}`] ?? [];
    return all[Math.min(at, all.length - 1)] ?? { code: 404, body: {} };
  };
  const available = [{ groupVersion: 'fruit.io/v1', isAvailable: true }];
  return { asked, contents: new RemoteContents({ send } as unknown as GatewayClient, () => groups ?? available) };
}

function serves(verbs: readonly string[], namespaced = true): GatewayAnswer {
  const resources = [
    { name: 'apples', namespaced, verbs },
    { name: 'apples/status', namespaced, verbs: ['get', 'delete'] },
  ];
  return { code: 200, body: { resources } };
}

function list(...items: object[]): GatewayAnswer {
  return { code: 200, body: { items: items.map((metadata) => ({ metadata })) } };
}

const DONE: GatewayAnswer = { code: 200, body: {} };

test('a collection is deleted as one where the server can, and looked at then', async () => {
  const verbs = ['delete', 'deletecollection', 'list'];
  const { asked, contents } = server({
    [`GET ${ROOT}`]: [serves(verbs)],
    [`DELETE ${APPLES}`]: [DONE],
    [`GET ${APPLES}`]: [list({ name: 'x', finalizers: ['f.io/a'] })],
  });
  const { objects, finalizers, failures } = await contents.empty('a');
  assert.deepEqual(asked, [`GET ${ROOT}`, `DELETE ${APPLES}`, `GET ${APPLES}`]);
  assert.deepEqual(
    [...objects, ...finalizers, ...failures],
    [
      ['apples.fruit.io', 1],
      ['f.io/a', 1],
    ],
  );
});

test('elsewhere objects are deleted one by one', async () => {
  const { asked, contents } = server({
    [`GET ${ROOT}`]: [serves(['delete', 'list'])],
    [`GET ${APPLES}`]: [list({ name: 'x' }, { name: 'y' }), list()],
    [`DELETE ${APPLES}/x`]: [DONE],
    [`DELETE ${APPLES}/y`]: [DONE],
  });
  const { objects } = await contents.empty('a');
  assert.equal(objects.size, 0);
  assert.deepEqual(asked.slice(2, 4), [`DELETE ${APPLES}/x`, `DELETE ${APPLES}/y`]);
});

test('what is in no namespace, or cannot be deleted, is let be', async () => {
  for (const found of [serves(['delete', 'list'], false), serves(['get', 'list'])]) {
    const { asked, contents } = server({ [`GET ${ROOT}`]: [found] });
    await contents.empty('a');
    const others = asked.filter((one) => one !== `GET ${ROOT}`);
    assert.deepEqual(others, []);
  }
});

test('what cannot be asked is not taken for empty', async () => {
  const away = [{ groupVersion: 'fruit.io/v1', isAvailable: false }];
  const stale = [['fruit.io/v1', 'stale GroupVersion discovery: fruit.io/v1']];
  assert.deepEqual([...(await server({}, away).contents.empty('a')).undiscovered], stale);
  assert.deepEqual([...(await server({}).contents.empty('a')).undiscovered], stale);
  const failing = { [`GET ${ROOT}`]: [serves(['delete', 'list'])], [`GET ${APPLES}`]: [{ code: 500, body: {} }] };
  assert.deepEqual((await server(failing).contents.empty('a')).failures, [`${APPLES} was answered with 500`]);
  const unknown = new RemoteContents({} as GatewayClient, () => undefined);
  await assert.rejects(unknown.empty('a'), /are not known yet/);
});

test('a server that does not answer in time is a failure of this namespace alone', async () => {
  const send = (method: string, path: string) =>
    path === ROOT ? Promise.resolve(serves(['delete', 'list'])) : Promise.reject(new Error(`no answer to ${method}`));
  const available = [{ groupVersion: 'fruit.io/v1', isAvailable: true }];
  const contents = new RemoteContents({ send } as unknown as GatewayClient, () => available);
  assert.deepEqual((await contents.empty('a')).failures, [`${APPLES}: no answer to GET`]);
});

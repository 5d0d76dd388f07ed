import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GatewayAnswer } from '../port.ts';
import { RemoteContents } from './remote-contents.ts';

const REGISTERED = 'GET /apis/apiregistration.k8s.io/v1/apiservices';
const ROOT = '/apis/fruit.io/v1';
const APPLES = `${ROOT}/namespaces/a/apples`;

interface Server {
  readonly contents: RemoteContents;
  readonly requests: string[];
}

/** The group version is registered, and its server is available or not. */
function registered(status: 'True' | 'False'): GatewayAnswer {
  const local = { spec: { version: 'v1' }, status: {} };
  const remote = { spec: { group: 'fruit.io', version: 'v1', service: {} } };
  const conditions = [{ type: 'Available', status }];
  return { code: 200, body: { items: [local, { ...remote, status: { conditions } }] } };
}

/** Returns the answers of each path in order and repeats the last one; other paths are not found. */
function server(answers: Readonly<Record<string, readonly GatewayAnswer[]>>): Server {
  const all: typeof answers = { [REGISTERED]: [registered('True')], ...answers };
  const requests: string[] = [];
  const send = async (method: string, path: string): Promise<GatewayAnswer> => {
    const key = `${method} ${path}`;
    const at = requests.filter((one) => one === key).length;
    if (key !== REGISTERED) requests.push(key);
    const given = all[key] ?? [];
    return given[Math.min(at, given.length - 1)] ?? { code: 404, body: {} };
  };
  return { requests, contents: new RemoteContents({ send }) };
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

test('A collection is deleted with one request where the server supports it, and listed afterwards.', async () => {
  const verbs = ['delete', 'deletecollection', 'list'];
  const { requests, contents } = server({
    [`GET ${ROOT}`]: [serves(verbs)],
    [`DELETE ${APPLES}`]: [DONE],
    [`GET ${APPLES}`]: [list({ name: 'x', finalizers: ['f.io/a'] })],
  });
  const { objects, finalizers, failures } = await contents.empty('a');
  assert.deepEqual(requests, [`GET ${ROOT}`, `DELETE ${APPLES}`, `GET ${APPLES}`]);
  assert.deepEqual(
    [...objects, ...finalizers, ...failures],
    [
      ['apples.fruit.io', 1],
      ['f.io/a', 1],
    ],
  );
});

test('Where the server cannot delete a collection, objects are deleted one by one.', async () => {
  const { requests, contents } = server({
    [`GET ${ROOT}`]: [serves(['delete', 'list'])],
    [`GET ${APPLES}`]: [list({ name: 'x' }, { name: 'y' }), list()],
    [`DELETE ${APPLES}/x`]: [DONE],
    [`DELETE ${APPLES}/y`]: [DONE],
  });
  const { objects } = await contents.empty('a');
  assert.equal(objects.size, 0);
  assert.deepEqual(requests.slice(2, 4), [`DELETE ${APPLES}/x`, `DELETE ${APPLES}/y`]);
});

test('Resources without a namespace, and resources that cannot be deleted, are left alone.', async () => {
  for (const found of [serves(['delete', 'list'], false), serves(['get', 'list'])]) {
    const { requests, contents } = server({ [`GET ${ROOT}`]: [found] });
    await contents.empty('a');
    const others = requests.filter((one) => one !== `GET ${ROOT}`);
    assert.deepEqual(others, []);
  }
});

test('A server that cannot be reached is not considered empty.', async () => {
  const stale = [['fruit.io/v1', 'stale GroupVersion discovery: fruit.io/v1']];
  const away = server({ [REGISTERED]: [registered('False')] });
  assert.deepEqual([...(await away.contents.empty('a')).undiscovered], stale);
  assert.deepEqual([...(await server({}).contents.empty('a')).undiscovered], stale);
  const failing = { [`GET ${ROOT}`]: [serves(['delete', 'list'])], [`GET ${APPLES}`]: [{ code: 500, body: {} }] };
  assert.deepEqual((await server(failing).contents.empty('a')).failures, [`${APPLES} was answered with 500`]);
  const unknown = server({ [REGISTERED]: [{ code: 503, body: { message: 'not now' } }] });
  assert.deepEqual((await unknown.contents.empty('a')).failures, ['not now']);
});

test('A server that does not answer in time is a failure of this namespace alone.', async () => {
  const send = async (method: string, path: string) => {
    if (`${method} ${path}` === REGISTERED) return registered('True');
    if (path === ROOT) return serves(['delete', 'list']);
    throw new Error(`no answer to ${method}`);
  };
  const contents = new RemoteContents({ send });
  assert.deepEqual((await contents.empty('a')).failures, [`${APPLES}: no answer to GET`]);
});

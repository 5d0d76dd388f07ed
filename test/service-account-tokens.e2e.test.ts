import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Client } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
const NODES = '/api/v1/nodes';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

describe('Service account tokens', () => {
  let system: RunningSystem;
  let client: Client;
  const post = (path: string, body: unknown, token?: string) =>
    client.request('POST', path, { body, ...(token === undefined ? {} : { token }) });
  const account = async (name: string): Promise<string> => {
    const made = await post(ACCOUNTS, { metadata: { name } });
    assert.equal(made.code, 201, made.text);
    return made.json.metadata.uid;
  };
  const request = (name: string, spec: object = {}) => post(`${ACCOUNTS}/${name}/token`, { spec });
  const tokenOf = async (name: string, spec: object = {}): Promise<string> => {
    const reply = await request(name, spec);
    assert.equal(reply.code, 201, reply.text);
    return reply.json.status.token;
  };
  const codeWith = async (token: string) => (await client.request('GET', '/api', { token })).code;
  const claimsOf = (token: string, part = 1) =>
    JSON.parse(Buffer.from(token.split('.')[part] as string, 'base64url').toString());

  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
  });
  after(() => system.stop());

  test('A token authenticates its service account.', async () => {
    const uid = await account('teller');
    const { json } = await request('teller', { expirationSeconds: 1200 });
    const { token, expirationTimestamp } = json.status;
    assert.deepEqual([json.kind, json.metadata.uid, json.spec.expirationSeconds], ['TokenRequest', uid, 1200]);
    const claims = claimsOf(token);
    assert.equal(claims.exp - claims.iat, 1200);
    assert.equal(Date.parse(expirationTimestamp) / 1000, claims.exp);
    assert.deepEqual(
      [claims.iss, claims.aud],
      ['https://kubernetes.default.svc.cluster.local', ['https://kubernetes.default.svc.cluster.local']],
    );
    assert.deepEqual(claims['kubernetes.io'], { namespace: 'default', serviceaccount: { name: 'teller', uid } });
    // a service account may read discovery; other requests are forbidden with its name
    assert.equal(await codeWith(token), 200);
    const refused = await client.request('GET', PODS, { token });
    assert.match(refused.json.message, /^pods is forbidden: User "system:serviceaccount:default:teller" cannot list/);
    const { status } = (await post(TOKEN_REVIEWS, { spec: { token } })).json;
    assert.deepEqual(status, {
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:teller',
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`] },
      },
      audiences: ['https://kubernetes.default.svc.cluster.local'],
    });
  });

  test('A token is rejected if it was changed or if its account was deleted or created again.', async () => {
    await account('short-lived');
    const token = await tokenOf('short-lived');
    const [head, body, signature = ''] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(token), sub: 'system:admin' })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const wrong of [
      `${head}.${forged}.${signature}`,
      `${head}.${body}.`,
      `${none}.${body}.`,
      `${head}.${body}.AAAA`,
      `${head}.${body}`,
      '..',
    ])
      assert.equal(await codeWith(wrong), 401, wrong);
    assert.equal(await codeWith(token), 200);
    await client.request('DELETE', `${ACCOUNTS}/short-lived`);
    assert.equal(await codeWith(token), 401);
    await account('short-lived');
    assert.equal(await codeWith(token), 401);
  });

  test('Tokens for other audiences are rejected, and a TokenReview returns their audiences.', async () => {
    await account('elsewhere');
    const token = await tokenOf('elsewhere', { audiences: ['vault'] });
    assert.equal(await codeWith(token), 401);
    const review = async (audiences?: string[]) =>
      (await post(TOKEN_REVIEWS, { spec: { token, audiences } })).json.status;
    const { authenticated, audiences } = await review(['vault', 'other']);
    assert.deepEqual([authenticated, audiences], [true, ['vault']]);
    assert.equal((await review()).authenticated, undefined);
    assert.equal((await review(['other'])).authenticated, undefined);
  });

  test('A token is invalid after its bound object is deleted.', async () => {
    await account('worker');
    const spec = { serviceAccountName: 'worker', containers: [{ name: 'main', image: 'app' }] };
    const uid = (await post(PODS, { metadata: { name: 'job' }, spec })).json.metadata.uid;
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'job', uid };
    const token = await tokenOf('worker', { boundObjectRef });
    assert.deepEqual(claimsOf(token)['kubernetes.io'].pod, { name: 'job', uid });
    assert.equal(await codeWith(token), 200);
    const wrong = await request('worker', { boundObjectRef: { ...boundObjectRef, uid: 'of-another' } });
    assert.equal(wrong.code, 409);
    await client.request('DELETE', `${PODS}/job`);
    assert.equal(await codeWith(token), 401);
    assert.equal((await request('worker', { boundObjectRef })).code, 404);
  });

  test('A token request for an account with another UID is a conflict.', async () => {
    const uid = await account('replaced');
    const reply = await post(`${ACCOUNTS}/replaced/token`, { metadata: { uid: 'of-the-old-account' }, spec: {} });
    assert.equal(reply.code, 409);
    assert.match(
      reply.json.message,
      new RegExp(
        `the UID in the token request \\(of-the-old-account\\) does not match the UID of the service account \\(${uid}\\)`,
      ),
    );
  });

  test('A token that is bound to a node is invalid after the node is deleted.', async () => {
    await account('node-agent');
    const uid = (await post(NODES, { metadata: { name: 'short-lived-node' } })).json.metadata.uid;
    const token = await tokenOf('node-agent', { boundObjectRef: { kind: 'Node', name: 'short-lived-node' } });
    assert.deepEqual(claimsOf(token)['kubernetes.io'].node, { name: 'short-lived-node', uid });
    assert.equal(await codeWith(token), 200);
    await client.request('DELETE', `${NODES}/short-lived-node`);
    assert.equal(await codeWith(token), 401);
  });

  test('The token of a pod names the node of the pod, also if the node does not exist.', async () => {
    await account('placed');
    const uid = (await post(NODES, { metadata: { name: 'real-node' } })).json.metadata.uid;
    const nodeOf = async (nodeName: string) => {
      const spec = { serviceAccountName: 'placed', nodeName, containers: [{ name: 'main', image: 'app' }] };
      assert.equal((await post(PODS, { metadata: { name: `on-${nodeName}` }, spec })).code, 201);
      const token = await tokenOf('placed', { boundObjectRef: { kind: 'Pod', name: `on-${nodeName}` } });
      const { extra } = (await post(SELF, {}, token)).json.status.userInfo;
      return [
        claimsOf(token)['kubernetes.io'].node,
        extra['authentication.kubernetes.io/node-name'],
        extra['authentication.kubernetes.io/node-uid'],
      ];
    };
    assert.deepEqual(await nodeOf('real-node'), [{ name: 'real-node', uid }, ['real-node'], [uid]]);
    assert.deepEqual(await nodeOf('lost-node'), [{ name: 'lost-node' }, ['lost-node'], undefined]);
  });

  test('A token cannot be bound to the pod of another account.', async () => {
    await account('owner');
    await account('stranger');
    const spec = { serviceAccountName: 'owner', containers: [{ name: 'main', image: 'app' }] };
    await post(PODS, { metadata: { name: 'owned' }, spec });
    const { code, json } = await request('stranger', { boundObjectRef: { kind: 'Pod', name: 'owned' } });
    assert.deepEqual(
      [code, json.message],
      [400, 'cannot bind token for serviceaccount "stranger" to pod running with different serviceaccount name.'],
    );
  });

  test('A token can be bound to pods, secrets and nodes only.', async () => {
    await account('binder');
    for (const [ref, shown] of [
      [{ kind: 'Deployment', apiVersion: 'apps/v1' }, 'apps/v1, Kind=Deployment'],
      [{ kind: 'ConfigMap', apiVersion: 'v1' }, '/v1, Kind=ConfigMap'],
      [{ kind: 'constructor', apiVersion: 'v1' }, '/v1, Kind=constructor'],
      [{ name: 'x' }, '/, Kind='],
    ] as const) {
      const { code, json } = await request('binder', { boundObjectRef: { name: 'any', ...ref } });
      assert.deepEqual([code, json.message], [400, `cannot bind token to object of type ${shown}`]);
    }
  });

  test('Token requests with a short lifetime or for an unknown account are rejected.', async () => {
    await account('hasty');
    const refused = await request('hasty', { expirationSeconds: 60 });
    assert.match(
      refused.json.message,
      /spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes/,
    );
    assert.equal((await request('nobody')).json.message, 'serviceaccounts "nobody" not found');
  });

  test('The published keys verify tokens.', async () => {
    await account('published');
    const token = await tokenOf('published');
    const { issuer, jwks_uri: uri } = (await client.get('/.well-known/openid-configuration')).json;
    assert.deepEqual([issuer, uri], [claimsOf(token).iss, `${issuer}/openid/v1/jwks`]);
    const jwks = await client.get('/openid/v1/jwks');
    assert.equal(jwks.headers['content-type'], 'application/jwk-set+json');
    const { kid, alg } = claimsOf(token, 0);
    const jwk = jwks.json.keys.find((key: { kid: string }) => key.kid === kid);
    assert.deepEqual([alg, jwk.use], ['ES256', 'sig']);
    const [head, body, signature = ''] = token.split('.');
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')));
  });

  test('SelfSubjectRulesReview returns the permissions.', async () => {
    const rules = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const { status } = (await post(rules, { spec: { namespace: 'default' } })).json;
    assert.deepEqual(status.resourceRules[0], { verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    assert.equal((await post(SELF, {})).json.status.userInfo.extra, undefined);
    assert.equal((await post(rules, { spec: {} })).code, 400);
  });
});

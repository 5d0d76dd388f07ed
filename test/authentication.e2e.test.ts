import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  issuerKey,
  startIssuer,
  startReviewer,
  type TestIssuer,
  type TestReviewer,
  temporaryDir,
  until,
} from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const TOKENS = '/apis/authentication.k8s.io/v1/tokenreviews';
const OWN_AUDIENCE = 'https://kubernetes.default.svc.cluster.local';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** The tokens that the webhook accepts, with their users. */
const USERS: Readonly<Record<string, object>> = {
  'carol-token': { username: 'carol', uid: 'c-1', groups: ['night'], extra: { 'example.com/shift': ['late'] } },
};

// biome-ignore lint/suspicious/noExplicitAny: reviews of several kinds
function status({ kind, spec }: any): object {
  if (kind === 'TokenReview') {
    const user = USERS[spec.token];
    return user === undefined ? { authenticated: false, error: 'I never saw it' } : { authenticated: true, user };
  }
  const { verb, resource, name } = spec.resourceAttributes ?? {};
  if (verb === 'delete') return { allowed: false, denied: true, reason: 'nobody deletes at night' };
  if (resource === 'approvals') return { allowed: verb === 'good' };
  return { allowed: (resource === 'configmaps' || resource === 'roles') && name !== 'private', reason: 'it is night' };
}

describe('Authentication and authorization by issuers and webhooks', () => {
  const place = temporaryDir('authentication');
  const file = (name: string) => join(place.path, name);
  const first = issuerKey('first');
  let issuer: TestIssuer;
  let late: TestIssuer;
  let reviewer: TestReviewer;
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    issuer = await startIssuer([first]);
    late = await startIssuer([first]);
    await late.pause();
    reviewer = await startReviewer(status);
    reviewer.writeKubeconfig(file('reviewer.kubeconfig'));
    writeFileSync(file('authentication.yaml'), JSON.stringify(authentication(issuer, late)));
    writeFileSync(file('authorization.yaml'), JSON.stringify(authorization(file('reviewer.kubeconfig'))));
    system = await runningSystem({
      env: {
        TIDEGATE_AUTHENTICATION_CONFIG: file('authentication.yaml'),
        TIDEGATE_AUTHORIZATION_CONFIG: file('authorization.yaml'),
        TIDEGATE_AUTHENTICATION_TOKEN_WEBHOOK_CONFIG_FILE: file('reviewer.kubeconfig'),
        TIDEGATE_AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL: '1s',
        TIDEGATE_AUTHENTICATION_TOKEN_WEBHOOK_VERSION: 'v1',
      },
    });
    client = system.client;
    const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'oidc:readers' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const made = await client.request('POST', BINDINGS, { body: { metadata: { name: 'readers' }, subjects, roleRef } });
    assert.equal(made.code, 201, made.text);
  });
  after(async () => {
    await system?.stop();
    for (const one of [issuer, late, reviewer]) one?.pause();
    place.remove();
  });

  const userInfoOf = async (token: string) => {
    const { code, json } = await client.request('POST', SELF, { body: {}, token });
    return code === 201 ? json.status.userInfo : code;
  };
  const tokenReview = async (token: string, audiences?: string[]) =>
    (await client.request('POST', TOKENS, { body: { spec: { token, audiences } } })).json.status;
  const log = () => readFileSync(join(system.tidegate.dataDir, 'logs', 'gateway.log'), 'utf8');

  test('The claims of a JSON Web Token determine user, groups and extra fields, and the groups have permissions.', async () => {
    const token = issuer.token(first, { roles: ['readers'], tenant: 'blue', jti: 'j-1' });
    assert.deepEqual(await userInfoOf(token), {
      username: 'oidc:ann',
      groups: ['oidc:readers', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j-1'], 'example.com/tenant': ['blue'] },
    });
    assert.equal((await client.request('GET', '/api/v1/pods', { token })).code, 200);
    assert.equal((await client.request('GET', '/api/v1/secrets', { token })).code, 403);
    assert.equal(await userInfoOf(issuer.token(first, { tenant: 'red' })), 401);
  });

  test('After an issuer rotates its keys, tokens with the new key are accepted and tokens with the old key rejected.', async () => {
    const second = issuerKey('second', 'RS256');
    const claims = { tenant: 'blue' };
    assert.equal(await userInfoOf(issuer.token(second, claims)), 401);
    issuer.publish([second]);
    await until('the new key to be fetched', async () => (await userInfoOf(issuer.token(second, claims))) !== 401);
    assert.equal(await userInfoOf(issuer.token(first, { ...claims, sub: 'late' })), 401);
    issuer.publish([first, second]);
  });

  test('Tokens of an issuer that was unreachable at the start are accepted after it is reachable.', async () => {
    const token = late.token(first);
    assert.equal(await userInfoOf(token), 401);
    assert.match(log(), new RegExp(`the keys of ${late.url} could not be fetched`));
    await late.resume();
    await until('the keys of the issuer', async () => (await userInfoOf(token)) !== 401, 20_000);
    assert.equal((await userInfoOf(token)).username, 'late:ann');
  });

  test('A token webhook authenticates users; while it is unreachable, tokens are rejected and the error is reported.', async () => {
    const carol = { username: 'carol', uid: 'c-1', groups: ['night', 'system:authenticated'] };
    assert.deepEqual(await userInfoOf('carol-token'), { ...carol, extra: { 'example.com/shift': ['late'] } });
    const { as, review } = reviewer.reviews.find(({ review }) => review.spec.token === 'carol-token') ?? {};
    assert.deepEqual(
      [as, review.apiVersion, review.spec.audiences],
      ['the-gateway', 'authentication.k8s.io/v1', [OWN_AUDIENCE]],
    );
    assert.equal(await userInfoOf('nobodys-token'), 401);
    assert.deepEqual(await tokenReview('nobodys-token'), { user: {}, error: '[invalid bearer token, I never saw it]' });
    reviewer.pause();
    assert.equal(await userInfoOf('other-token'), 401);
    const { error } = await tokenReview('other-token');
    assert.match(
      error,
      /^\[invalid bearer token, webhook: Post "https:\/\/127.0.0.1:\d+\/review": dial tcp .* connection refused\]$/,
    );
    await until('the reason to be in the log', async () => {
      await userInfoOf('other-token');
      return log().includes('connection refused');
    });
    await reviewer.resume();
    assert.equal((await userInfoOf('carol-token')).username, 'carol');
  });

  test('A TokenReview returns the user and the audiences of a token.', async () => {
    const token = issuer.token(first, { tenant: 'blue' });
    assert.deepEqual((await tokenReview(token)).audiences, [OWN_AUDIENCE]);
    assert.deepEqual((await tokenReview(token, [OWN_AUDIENCE, 'x'])).audiences, [OWN_AUDIENCE]);
    assert.equal((await tokenReview(token, ['x'])).authenticated, undefined);
    assert.equal((await tokenReview('carol-token', [OWN_AUDIENCE])).user.username, 'carol');
    assert.equal((await tokenReview(system.tidegate.token)).user.username, 'admin');
  });

  test('An authorization webhook allows requests in addition to roles, and its denials are final.', async () => {
    const token = 'carol-token';
    const list = await client.request('GET', MAPS, { token });
    assert.equal(list.code, 200);
    assert.equal((await client.request('POST', MAPS, { token, body: configMap('at-night') })).code, 201);
    const refused = await client.request('GET', `${MAPS}/private`, { token });
    assert.equal(refused.code, 403);
    assert.match(refused.json.message, /User "carol" cannot get resource "configmaps" .*: it is night$/);
    const deleted = await client.request('DELETE', `${MAPS}/at-night`, { token });
    assert.match(deleted.json.message, /: nobody deletes at night$/);
    assert.equal(
      (await client.request('DELETE', `${MAPS}/at-night`)).code,
      200,
      'the webhook is not called for system:masters',
    );
    const review = {
      spec: { user: 'carol', resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'a' } },
    };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const { status } = (await client.request('POST', path, { body: review })).json;
    assert.deepEqual(status, { allowed: false, denied: true, reason: 'nobody deletes at night' });
  });

  test('Policies with an authorizer expression and escalation checks use the authorization webhook.', async () => {
    const token = 'carol-token';
    const group = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const approved = "authorizer.group('example.com').resource('approvals').check(object.metadata.name).allowed()";
    const policy = {
      matchConstraints: { resourceRules: [rule], namespaceSelector: { matchLabels: { approvals: 'asked' } } },
      validations: [{ expression: approved, message: 'nobody approves' }],
    };
    for (const [path, body] of [
      ['/api/v1/namespaces', { metadata: { name: 'approved', labels: { approvals: 'asked' } } }],
      [`${group}/validatingadmissionpolicies`, { metadata: { name: 'approved' }, spec: policy }],
      [
        `${group}/validatingadmissionpolicybindings`,
        { metadata: { name: 'approved' }, spec: { policyName: 'approved', validationActions: ['Deny'] } },
      ],
    ] as const)
      assert.equal((await client.request('POST', path, { body })).code, 201, path);
    const make = (name: string) =>
      client.request('POST', '/api/v1/namespaces/approved/configmaps', { token, body: configMap(name) });
    await until('the policy to take effect', async () => (await make('bad')).code === 422);
    assert.equal((await make('good')).code, 201);
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    const made = await client.request('POST', roles, { token, body: { metadata: { name: 'given' }, rules } });
    assert.equal(made.code, 201, made.text);
    const kept = await client.request('POST', roles, { token, body: { metadata: { name: 'private' }, rules } });
    assert.equal(kept.code, 201, 'a creation has no name in its path');
    const changed = { token, body: { metadata: { name: 'private' }, rules: [...rules, ...rules] } };
    assert.equal((await client.request('PUT', `${roles}/private`, changed)).code, 403);
  });

  test('A user with permission from a webhook can watch.', async () => {
    const watch = await client.watch(`${MAPS}?watch=1`, { Authorization: 'Bearer carol-token' });
    assert.equal(watch.code, 200);
    await client.request('POST', MAPS, { body: configMap('seen') });
    while ((await watch.next()).object.metadata.name !== 'seen');
    watch.close();
  });

  test('kubectl works with JSON Web Tokens and service account tokens.', {
    skip: whyNoKubectl() ?? false,
  }, async () => {
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await kubectl(system.tidegate.kubeconfig, args, { HOME: place.path });
      return `${stdout}${stderr}`;
    };
    const token = issuer.token(first, { roles: ['readers'], tenant: 'blue' });
    assert.match(await run('auth', 'whoami', `--token=${token}`), /Username +oidc:ann\n/);
    assert.match(await run('auth', 'can-i', 'list', 'pods', `--token=${token}`), /^yes/);
    assert.match(await run('auth', 'can-i', 'delete', 'pods', `--token=${token}`), /^no/);
    await run('create', 'serviceaccount', 'robot');
    const made = (await run('create', 'token', 'robot')).trim();
    const whoami = await run('auth', 'whoami', `--token=${made}`);
    assert.match(whoami, /Username +system:serviceaccount:default:robot\n/);
    assert.match(whoami, /Extra: authentication.kubernetes.io\/credential-id +\[JTI=/);
  });
});

function authentication(issuer: TestIssuer, late: TestIssuer): object {
  const trusted = ({ url, ca }: TestIssuer) => ({ url, certificateAuthority: ca, audiences: ['kube'] });
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: trusted(issuer),
        claimValidationRules: [{ expression: "claims.tenant != 'red'", message: 'no red tenants' }],
        claimMappings: {
          username: { expression: "'oidc:' + claims.sub" },
          groups: { claim: 'roles', prefix: 'oidc:' },
          extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
        },
        userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
      },
      { issuer: trusted(late), claimMappings: { username: { claim: 'sub', prefix: 'late:' } } },
    ],
  };
}

function authorization(kubeConfigFile: string): object {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [
      {
        type: 'Webhook',
        name: 'night',
        webhook: {
          timeout: '3s',
          authorizedTTL: '1s',
          unauthorizedTTL: '1s',
          subjectAccessReviewVersion: 'v1',
          matchConditionSubjectAccessReviewVersion: 'v1',
          failurePolicy: 'NoOpinion',
          connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
          matchConditions: [{ expression: "request.user == 'carol'" }],
        },
      },
      { type: 'RBAC', name: 'rbac' },
    ],
  };
}

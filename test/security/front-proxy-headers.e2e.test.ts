import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { mintLeaf } from '@tidegate/local';
import { type TestAggregatedServer, testAuthority } from '@tidegate/testkit';
import { appleServer, GROUP, register, untilCondition } from '../support/aggregation.ts';
import { rawRequest, whoAmI } from '../support/raw-request.ts';
import { COMPLETE, type RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const ROOT = ['X-Remote-User', 'root', 'X-Remote-Group', 'system:masters'];

interface Pair {
  readonly cert: string;
  readonly key: string;
}

describe('Identity headers of a front proxy', () => {
  let system: RunningSystem;
  let server: TestAggregatedServer;
  let proxy: Pair;
  const pair = (name: string): Pair => {
    const read = (ending: string) => readFileSync(join(system.tidegate.dataDir, 'certs', `${name}.${ending}`), 'utf8');
    return { cert: read('crt'), key: read('key') };
  };
  const signed = (authority: string, commonName: string): Promise<Pair> =>
    mintLeaf(pair(authority), { commonName, usages: ['client'], validMs: 3_600_000 }, Date.now());
  const usernameFor = async (headers: readonly string[], by?: Pair) => {
    const info = await whoAmI(system.tidegate, { headers, ...by });
    return typeof info === 'number' ? info : info.username;
  };

  before(async () => {
    system = await sharedSystem(COMPLETE);
    proxy = pair('front-proxy-client');
    server = await appleServer(system.client);
    await register(system.client, server);
    await untilCondition(system.client, 'True', 'Passed');
  });
  after(async () => {
    await system?.stop();
    await server?.stop();
  });

  test('Identity headers of the front proxy are accepted.', async () => {
    const headers = ['X-Remote-User', 'ann', 'X-Remote-Group', 'dev', 'x-remote-group', 'ops', 'X-Remote-Uid', '7'];
    assert.deepEqual(await whoAmI(system.tidegate, { headers: [...headers, 'X-Remote-Extra-a%2Fb', 'c'], ...proxy }), {
      username: 'ann',
      uid: '7',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'a/b': ['c'] },
    });
  });

  test('Identity headers of other clients are ignored.', async () => {
    const { token } = system.tidegate;
    assert.equal(await usernameFor(ROOT), 401);
    assert.equal(await usernameFor([...ROOT, 'Authorization', `Bearer ${token}`]), 'admin');
    assert.equal(await usernameFor(ROOT, await signed('ca', 'eve')), 'eve');
    assert.equal(await usernameFor(ROOT, await signed('ca', 'front-proxy-client')), 'front-proxy-client');
    const foreign = await testAuthority('tidegate-front-proxy-ca');
    assert.equal(await usernameFor(ROOT, await foreign.leaf({ commonName: 'front-proxy-client' })), 401);
  });

  test('A certificate of the front proxy authority with a name that is not allowed is rejected with 401.', async () => {
    const other = await signed('front-proxy-ca', 'other');
    assert.equal(await usernameFor(ROOT, other), 401);
    assert.equal(await usernameFor([], other), 401);
    assert.equal((await rawRequest(system.tidegate, { path: '/livez', ...other })).code, 401);
  });

  test('The front proxy itself is not a user: without identity headers it is not authenticated.', async () => {
    assert.equal(await usernameFor([], proxy), 401);
    assert.equal(await usernameFor(['X-Remote-Group', 'system:masters'], proxy), 401);
    assert.equal(await usernameFor(['X-Remote-User', ''], proxy), 401);
    assert.equal(await usernameFor(['Authorization', `Bearer ${system.tidegate.token}`], proxy), 'admin');
  });

  test('Several values for the user or the uid are rejected with 401.', async () => {
    assert.equal(await usernameFor(['X-Remote-User', 'ann', 'X-Remote-User', 'root'], proxy), 401);
    assert.equal(await usernameFor(['X-Remote-User', 'ann', 'x-remote-user', 'root'], proxy), 401);
    assert.equal(await usernameFor(['X-Remote-User', 'ann', 'X-Remote-Uid', '1', 'X-Remote-Uid', '2'], proxy), 401);
  });

  test('Header names with underscores are ignored, and a comma is part of a value.', async () => {
    assert.equal(await usernameFor(['X_Remote_User', 'root'], proxy), 401);
    const info = await whoAmI(system.tidegate, {
      headers: ['X-Remote-User', 'ann, root', 'X_Remote_Group', 'system:masters', 'X-Remote-Group', 'a,system:masters'],
      ...proxy,
    });
    assert.deepEqual(info, { username: 'ann, root', groups: ['a,system:masters', 'system:authenticated'] });
  });

  test('A user whom the front proxy authenticates needs permission to impersonate others.', async () => {
    const headers = ['X-Remote-User', 'ann', 'Impersonate-User', 'root', 'Impersonate-Group', 'system:masters'];
    assert.equal(await usernameFor(headers, proxy), 403);
    const eve = await signed('ca', 'eve');
    assert.equal(await usernameFor([...ROOT, 'Impersonate-User', 'root'], eve), 403);
  });

  test('Identity headers work over HTTP/2, too.', async () => {
    const ca = readFileSync(system.tidegate.caFile);
    const review = async (by: Pair | undefined) => {
      const session = connect(system.tidegate.server, { ca, ...by });
      const stream = session.request({
        ':method': 'POST',
        ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        'x-remote-user': 'ann',
        'x-remote-group': ['dev', 'ops'],
      });
      stream.end('{}');
      const { status, code } = JSON.parse(await text(stream));
      session.destroy();
      return status.userInfo?.groups ?? code;
    };
    assert.deepEqual(await review(proxy), ['dev', 'ops', 'system:authenticated']);
    assert.equal(await review(undefined), 401);
  });

  test('Identity headers of a client are not forwarded to aggregated servers.', async () => {
    const headers = ['X-Remote-User', 'eve', 'x-REMOTE-group', 'system:masters', 'X_Remote_User', 'eve'];
    const more = ['X-Remote_Extra-a', 'b', 'x_remote_uid', '1', 'Authorization', `Bearer ${system.tidegate.token}`];
    const path = `${GROUP}/namespaces/default/apples`;
    const before = server.received.length;
    assert.equal((await rawRequest(system.tidegate, { path, headers: [...headers, ...more] })).code, 200);
    const { rawHeaders = [] } = server.received.slice(before).find(({ url }) => url === path) ?? {};
    const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1]]] : []));
    const identity = pairs.filter(([name]) => /^(x[-_]remote|authorization)/.test(name as string));
    assert.deepEqual(identity, [
      ['x-remote-user', 'admin'],
      ['x-remote-uid', pairs.find(([name]) => name === 'x-remote-uid')?.[1]],
      ['x-remote-group', 'system:masters'],
      ['x-remote-group', 'system:authenticated'],
    ]);
  });
});

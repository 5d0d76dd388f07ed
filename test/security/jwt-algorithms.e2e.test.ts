import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { issuerKey, publishedForm, signedToken, startIssuer, type TestIssuer, temporaryDir } from '@tidegate/testkit';
import { whoAmI } from '../support/raw-request.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('JSON Web Tokens that the issuer did not sign', () => {
  const place = temporaryDir('jwt-algorithms');
  const key = issuerKey('one', 'RS256');
  const curve = issuerKey('two', 'ES256');
  let issuer: TestIssuer;
  let elsewhere: TestIssuer;
  let system: RunningSystem;

  before(async () => {
    issuer = await startIssuer([key, curve]);
    elsewhere = await startIssuer([issuerKey('one', 'RS256')]);
    writeFileSync(join(place.path, 'ca.crt'), issuer.ca);
    system = await runningSystem({
      env: {
        TIDEGATE_OIDC_ISSUER_URL: issuer.url,
        TIDEGATE_OIDC_CLIENT_ID: 'kube',
        TIDEGATE_OIDC_USERNAME_PREFIX: '-',
        TIDEGATE_OIDC_CA_FILE: join(place.path, 'ca.crt'),
        TIDEGATE_OIDC_SIGNING_ALGS: 'RS256,ES256',
      },
    });
  });
  after(async () => {
    await system?.stop();
    for (const one of [issuer, elsewhere]) await one?.pause();
    place.remove();
  });

  const claims = () => ({ iss: issuer.url, aud: 'kube', sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600 });
  const usernameFor = async (token: string) => {
    const info = await whoAmI(system.tidegate, { headers: ['Authorization', `Bearer ${token}`] });
    return typeof info === 'number' ? info : info.username;
  };
  const signedWithSecret = (header: object, secret: string | Buffer, algorithm = 'sha256') => {
    const text = `${encode(header)}.${encode(claims())}`;
    return `${text}.${createHmac(algorithm, secret).update(text).digest('base64url')}`;
  };

  test('A token that the issuer signed is accepted.', async () => {
    assert.equal(await usernameFor(signedToken(key, claims())), 'ann');
    assert.equal(await usernameFor(signedToken(curve, claims())), 'ann');
  });

  test('A token without a signature is rejected, with any spelling of the algorithm "none".', async () => {
    for (const alg of ['none', 'None', 'NONE', '', 'nOnE']) {
      const text = `${encode({ alg, kid: 'one' })}.${encode(claims())}`;
      for (const token of [text, `${text}.`, `${text}.AA`])
        assert.equal(await usernameFor(token), 401, `${alg} ${token}`);
    }
    const [head, body] = signedToken(key, claims()).split('.');
    for (const token of [`${head}.${body}.`, `${head}.${body}`, `${head}.${body}.AAAA`, '..', '.', 'a.b.c'])
      assert.equal(await usernameFor(token), 401, token);
  });

  test('A token whose HMAC uses the public key as the secret is rejected.', async () => {
    const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
    const der = key.publicKey.export({ type: 'spki', format: 'der' });
    const jwk = JSON.stringify(publishedForm(key));
    for (const secret of [pem, der, jwk, ''])
      for (const alg of ['HS256', 'HS384', 'HS512', 'RS256', 'ES256'])
        assert.equal(await usernameFor(signedWithSecret({ alg, kid: 'one' }, secret, `sha${alg.slice(2)}`)), 401, alg);
  });

  test('A token with an algorithm that does not fit its key, or that is not allowed, is rejected.', async () => {
    for (const alg of ['ES256', 'PS256', 'RS384', 'RS512', 'EdDSA', 'rs256', '__proto__', 'constructor'])
      assert.equal(await usernameFor(signedToken(key, claims(), { alg })), 401, alg);
    const better = issuerKey('three', 'RS512');
    issuer.publish([key, curve, better]);
    assert.equal(
      await usernameFor(signedToken(better, claims())),
      401,
      'the key is published, but --oidc-signing-algs does not allow its algorithm',
    );
    issuer.publish([key, curve]);
  });

  test('Keys in a token, or at a URL in a token, are not used.', async () => {
    const own = issuerKey('one', 'RS256');
    const jwks = `${elsewhere.url}/keys`;
    for (const header of [
      { jwk: publishedForm(own) },
      { jku: jwks },
      { x5u: jwks },
      { x5c: [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      { jku: jwks, kid: 'two' },
    ])
      assert.equal(await usernameFor(signedToken(own, claims(), header)), 401, JSON.stringify(header));
    assert.deepEqual(elsewhere.requests, { discovery: 0, keys: 0 }, 'the URL is not fetched');
  });

  test('A token whose key id is a path, a pattern or an unknown name is rejected.', async () => {
    const own = issuerKey('own', 'RS256');
    for (const kid of [
      '../../dev/null',
      '/dev/null',
      "one' OR '1'='1",
      '*',
      'one\u0000',
      '',
      '__proto__',
      'constructor',
    ])
      assert.equal(await usernameFor(signedToken(own, claims(), { kid })), 401, kid);
    for (const kid of [null, 1, ['one'], { a: 1 }])
      assert.equal(await usernameFor(signedToken(key, claims(), { kid })), 401, JSON.stringify(kid));
    assert.equal(await usernameFor(signedToken(key, claims(), { kid: undefined })), 'ann', 'the key id is optional');
  });

  test('Tokens with critical extensions, encryption, compression or a nested token are rejected.', async () => {
    for (const header of [
      { crit: ['exp'] },
      { crit: [] },
      { crit: ['b64'], b64: false },
      { enc: 'A128GCM' },
      { zip: 'DEF' },
      { cty: 'JWT' },
    ])
      assert.equal(await usernameFor(signedToken(key, claims(), header)), 401, JSON.stringify(header));
    const encrypted = [encode({ alg: 'RSA-OAEP', enc: 'A256GCM' }), 'a', 'b', 'c', 'd'].join('.');
    assert.equal(await usernameFor(encrypted), 401);
  });

  test('Tokens for another audience, of another issuer, expired or not yet valid are rejected.', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const other of [
      { aud: 'other' },
      { aud: [] },
      { aud: ['KUBE'] },
      { aud: undefined },
      { iss: elsewhere.url },
      { iss: `${issuer.url}/` },
      { exp: now - 1 },
      { exp: undefined },
      { exp: '9999999999' },
      { exp: null },
      { nbf: now + 900 },
      { iat: now + 900 },
      { sub: undefined },
      { sub: '' },
    ])
      assert.equal(await usernameFor(signedToken(key, { ...claims(), ...other })), 401, JSON.stringify(other));
  });

  test('A token that was changed or extended after signing is rejected.', async () => {
    const token = signedToken(key, claims());
    const [head, , signature] = token.split('.');
    const more = encode({ ...claims(), sub: 'admin', groups: ['system:masters'] });
    for (const other of [
      `${head}.${more}.${signature}`,
      `${token}.x`,
      `${token}=`,
      `${token}%`,
      ` ${token}x`,
      `${token.slice(0, -8)}`,
      `${head}.${encode('[]')}.${signature}`,
    ])
      assert.equal(await usernameFor(other), 401, other);
  });

  test('Unknown key ids make the server fetch the keys of the issuer at most every five seconds.', async () => {
    const before = issuer.requests.keys;
    const started = performance.now();
    const own = issuerKey('own', 'RS256');
    for (let i = 0; i < 100; i++) assert.equal(await usernameFor(signedToken(own, claims(), { kid: `k${i}` })), 401);
    const most = Math.ceil((performance.now() - started) / 5000) + 1;
    assert.ok(
      issuer.requests.keys - before <= most,
      `${issuer.requests.keys - before} times, but at most ${most} are allowed`,
    );
  });
});

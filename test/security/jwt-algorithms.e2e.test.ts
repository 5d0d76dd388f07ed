import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { issuerKey, publishedForm, signedToken, startIssuer, type TestIssuer, temporaryDir } from '@tidegate/testkit';
import { whoAmI } from '../support/raw-ask.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('A token that was not signed by its issuer', () => {
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
    for (const one of [issuer, elsewhere]) await one?.leave();
    place.remove();
  });

  const claims = () => ({ iss: issuer.url, aud: 'kube', sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600 });
  const who = async (token: string) => {
    const told = await whoAmI(system.tidegate, { headers: ['Authorization', `Bearer ${token}`] });
    return typeof told === 'number' ? told : told.username;
  };
  const secretly = (header: object, secret: string | Buffer, algorithm = 'sha256') => {
    const text = `${encode(header)}.${encode(claims())}`;
    return `${text}.${createHmac(algorithm, secret).update(text).digest('base64url')}`;
  };

  test('is told from one that was', async () => {
    assert.equal(await who(signedToken(key, claims())), 'ann');
    assert.equal(await who(signedToken(curve, claims())), 'ann');
  });

  test('is nobody’s without a signature, however that is written', async () => {
    for (const alg of ['none', 'None', 'NONE', '', 'nOnE']) {
      const text = `${encode({ alg, kid: 'one' })}.${encode(claims())}`;
      for (const token of [text, `${text}.`, `${text}.AA`]) assert.equal(await who(token), 401, `${alg} ${token}`);
    }
    const [head, body] = signedToken(key, claims()).split('.');
    for (const token of [`${head}.${body}.`, `${head}.${body}`, `${head}.${body}.AAAA`, '..', '.', 'a.b.c'])
      assert.equal(await who(token), 401, token);
  });

  test('is nobody’s with the public key as a secret', async () => {
    const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
    const der = key.publicKey.export({ type: 'spki', format: 'der' });
    const jwk = JSON.stringify(publishedForm(key));
    for (const secret of [pem, der, jwk, ''])
      for (const alg of ['HS256', 'HS384', 'HS512', 'RS256', 'ES256'])
        assert.equal(await who(secretly({ alg, kid: 'one' }, secret, `sha${alg.slice(2)}`)), 401, alg);
  });

  test('is nobody’s with an algorithm that its key is not made for, or that is not allowed', async () => {
    for (const alg of ['ES256', 'PS256', 'RS384', 'RS512', 'EdDSA', 'rs256', '__proto__', 'constructor'])
      assert.equal(await who(signedToken(key, claims(), { alg })), 401, alg);
    const better = issuerKey('three', 'RS512');
    issuer.publish([key, curve, better]);
    assert.equal(
      await who(signedToken(better, claims())),
      401,
      'published, and not among those of --oidc-signing-algs',
    );
    issuer.publish([key, curve]);
  });

  test('is nobody’s by a key that comes with it, or stands where it says', async () => {
    const own = issuerKey('one', 'RS256');
    const jwks = `${elsewhere.url}/keys`;
    for (const header of [
      { jwk: publishedForm(own) },
      { jku: jwks },
      { x5u: jwks },
      { x5c: [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      { jku: jwks, kid: 'two' },
    ])
      assert.equal(await who(signedToken(own, claims(), header)), 401, JSON.stringify(header));
    assert.deepEqual(elsewhere.asked, { discovery: 0, keys: 0 }, 'nobody went there');
  });

  test('is nobody’s by a key’s name that means something else', async () => {
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
      assert.equal(await who(signedToken(own, claims(), { kid })), 401, kid);
    for (const kid of [null, 1, ['one'], { a: 1 }])
      assert.equal(await who(signedToken(key, claims(), { kid })), 401, JSON.stringify(kid));
    assert.equal(await who(signedToken(key, claims(), { kid: undefined })), 'ann', 'a token need not name its key');
  });

  test('is nobody’s when it asks for what is not understood, or has another inside', async () => {
    for (const header of [
      { crit: ['exp'] },
      { crit: [] },
      { crit: ['b64'], b64: false },
      { enc: 'A128GCM' },
      { zip: 'DEF' },
      { cty: 'JWT' },
    ])
      assert.equal(await who(signedToken(key, claims(), header)), 401, JSON.stringify(header));
    const encrypted = [encode({ alg: 'RSA-OAEP', enc: 'A256GCM' }), 'a', 'b', 'c', 'd'].join('.');
    assert.equal(await who(encrypted), 401);
  });

  test('is nobody’s when it is for others, from others, too late or too early', async () => {
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
      assert.equal(await who(signedToken(key, { ...claims(), ...other })), 401, JSON.stringify(other));
  });

  test('is nobody’s after it was changed, or with what was added to it', async () => {
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
      assert.equal(await who(other), 401, other);
  });

  test('asks the issuer no more often for that than every five seconds', async () => {
    const before = issuer.asked.keys;
    const started = performance.now();
    const own = issuerKey('own', 'RS256');
    for (let i = 0; i < 100; i++) assert.equal(await who(signedToken(own, claims(), { kid: `k${i}` })), 401);
    const most = Math.ceil((performance.now() - started) / 5000) + 1;
    assert.ok(issuer.asked.keys - before <= most, `${issuer.asked.keys - before} times, and ${most} are enough`);
  });
});

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';
import { SigningKeys } from '../tokens/signing-keys.ts';
import { digestOf } from '../tokens/token-authority.ts';
import { ServiceAccounts, type TokenSubject } from './service-accounts.ts';

const place = temporaryDir('service-accounts');
after(() => place.remove());

const ISSUER = 'https://issuer.example';
const subject: TokenSubject = { namespace: 'team', serviceaccount: { name: 'robot', uid: 'u1' } };

function keyFile(name: string, type: 'ec' | 'rsa'): string {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = join(place.path, name);
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return file;
}

const bearer = (text: string) => ({ text, digest: digestOf(text) });

function accounts(keys: SigningKeys, now: () => number, uid = 'u1'): ServiceAccounts {
  return new ServiceAccounts({
    keys,
    issuers: [ISSUER],
    audiences: [ISSUER],
    maxTokenSeconds: 7200,
    uidOf: async () => uid,
    now,
  });
}

test('a token is valid between its times, with a minute of tolerance', async () => {
  let now = 1_000_000_000_000;
  const robots = accounts(new SigningKeys(keyFile('ec', 'ec'), []), () => now);
  const { token } = robots.issue(subject, { audiences: [ISSUER], seconds: 600 });
  const refused = async () => {
    const verdict = await robots.authenticate(bearer(token));
    return verdict !== undefined && 'refused' in verdict ? verdict.refused : verdict?.user.name;
  };
  assert.equal(await refused(), 'system:serviceaccount:team:robot');
  now += 600_000;
  assert.equal(await refused(), 'system:serviceaccount:team:robot');
  now += 61_000;
  assert.equal(await refused(), 'service account token has expired');
  now -= 2_000_000;
  assert.equal(await refused(), 'service account token is not valid yet');
});

test('keys can be rotated: tokens of the old key are accepted while the options name it', async () => {
  const [first, second] = [keyFile('first', 'rsa'), keyFile('second', 'ec')];
  const before = accounts(new SigningKeys(first, []), Date.now);
  const { token } = before.issue(subject, { audiences: [ISSUER], seconds: 600 });
  assert.ok('user' in ((await accounts(new SigningKeys(second, [first]), Date.now).authenticate(bearer(token))) ?? {}));
  assert.equal(await accounts(new SigningKeys(second, []), Date.now).authenticate(bearer(token)), undefined);
  assert.deepEqual(new SigningKeys(second, [first]).published.algorithms, ['ES256', 'RS256']);
});

test('an invalid key file is refused with its name', () => {
  const file = join(place.path, 'nonsense');
  writeFileSync(file, 'nonsense');
  assert.throws(() => new SigningKeys(file, []), /nonsense is not a key of service accounts/);
});

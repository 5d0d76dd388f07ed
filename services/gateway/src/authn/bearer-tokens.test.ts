import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { User } from '../request/user.ts';
import { bearerOf, digestOf, type TokenAuthority, type TokenVerdict } from '../tokens/token-authority.ts';
import { BearerTokens } from './bearer-tokens.ts';

const ann: User = { name: 'ann', uid: '', groups: [] };
const token = { text: 't', digest: digestOf('t') };

function authority(
  verdict: TokenVerdict | undefined,
  servesThisServerOnly = false,
): TokenAuthority & { asked: number } {
  return {
    asked: 0,
    servesThisServerOnly,
    authenticate() {
      this.asked++;
      return verdict;
    },
  };
}

function tokensOf(authorities: TokenAuthority[], now = () => 0): BearerTokens {
  return new BearerTokens({ authorities, audiences: ['us'], now });
}

test('the first authority that accepts a token decides, even when others reject it', async () => {
  const last = authority({ user: ann });
  const tokens = tokensOf([authority(undefined), authority({ refused: 'too old' }), authority({ user: ann }), last]);
  assert.deepEqual(await tokens.authenticate(token), { user: ann, audiences: ['us'] });
  assert.equal(last.asked, 0);
});

test('all reasons for the rejection of a token are reported', async () => {
  const tokens = tokensOf([authority({ refused: 'a' }), authority(undefined), authority({ refused: 'b' })]);
  assert.deepEqual(await tokens.authenticate(token), { refusals: ['a', 'b'] });
});

test('a user is cached for the time that the authority sets, and no longer than the token is valid', async () => {
  let now = 0;
  const tokens = tokensOf([authority({ user: { ...ann, until: 50 }, rememberMs: 100 })], () => now);
  await tokens.authenticate(token);
  now = 49;
  assert.equal(tokens.cachedUser(token)?.name, 'ann');
  now = 50;
  assert.equal(tokens.cachedUser(token), undefined);
});

test('a result for other audiences is not cached for this server', async () => {
  const tokens = tokensOf([authority({ user: ann, audiences: ['them'], rememberMs: 100 })]);
  assert.deepEqual(await tokens.authenticate(token, ['them']), { user: ann, audiences: ['them'] });
  assert.equal(tokens.cachedUser(token), undefined);
});

test('an authority of this server only is tried when the requested audiences include this server', async () => {
  const tokens = tokensOf([authority({ user: ann }, true)]);
  assert.deepEqual(await tokens.authenticate(token, ['them', 'us']), { user: ann, audiences: ['us'] });
  assert.deepEqual(await tokens.authenticate(token, ['them']), { refusals: [] });
});

test('the oldest entries are evicted first, and expired ones are not returned', () => {
  let now = 0;
  const remembered = new ExpiringCache<number>(2, () => now);
  remembered.put('a', 1, 10);
  remembered.put('b', 2, 10);
  remembered.put('a', 3, 20);
  remembered.put('c', 4, 10);
  assert.deepEqual(
    [remembered.get('a'), remembered.get('b'), remembered.get('c'), remembered.size],
    [3, undefined, 4, 2],
  );
  now = 10;
  assert.deepEqual([remembered.get('a'), remembered.get('c')], [3, undefined]);
  remembered.put('d', 5, 0);
  assert.equal(remembered.get('d'), undefined);
});

test('bearer tokens are read from the Authorization header', () => {
  assert.equal(bearerOf('Bearer abc')?.text, 'abc');
  assert.equal(bearerOf('bearer  abc ')?.text, 'abc');
  for (const other of ['', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc'])
    assert.equal(bearerOf(other), undefined);
});

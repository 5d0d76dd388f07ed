import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { User } from '../request/user.ts';
import { BearerTokens } from './bearer-tokens.ts';
import type { TokenAuthority, TokenVerdict } from './token-authority.ts';
import { bearerOf, digestOf } from './token-authority.ts';

const ann: User = { name: 'ann', uid: '', groups: [] };
const token = { text: 't', digest: digestOf('t') };

function authority(verdict: TokenVerdict | undefined, isForUsAlone = false): TokenAuthority & { asked: number } {
  return {
    asked: 0,
    isForUsAlone,
    judge() {
      this.asked++;
      return verdict;
    },
  };
}

function tokensOf(authorities: TokenAuthority[], now = () => 0): BearerTokens {
  return new BearerTokens({ authorities, audiences: ['us'], now });
}

test('the first authority that knows a token is believed, whatever others have against it', async () => {
  const last = authority({ user: ann });
  const tokens = tokensOf([authority(undefined), authority({ refused: 'too old' }), authority({ user: ann }), last]);
  assert.deepEqual(await tokens.judge(token), { user: ann, audiences: ['us'] });
  assert.equal(last.asked, 0);
});

test('all that is said against a token is told', async () => {
  const tokens = tokensOf([authority({ refused: 'a' }), authority(undefined), authority({ refused: 'b' })]);
  assert.deepEqual(await tokens.judge(token), { refusals: ['a', 'b'] });
});

test('a user is remembered for as long as the authority says, and not longer than the token lasts', async () => {
  let now = 0;
  const tokens = tokensOf([authority({ user: { ...ann, until: 50 }, rememberMs: 100 })], () => now);
  await tokens.judge(token);
  now = 49;
  assert.equal(tokens.known(token)?.name, 'ann');
  now = 50;
  assert.equal(tokens.known(token), undefined);
});

test('what is asked for other audiences is not remembered for this server', async () => {
  const tokens = tokensOf([authority({ user: ann, audiences: ['them'], rememberMs: 100 })]);
  assert.deepEqual(await tokens.judge(token, ['them']), { user: ann, audiences: ['them'] });
  assert.equal(tokens.known(token), undefined);
});

test('whose tokens are for this server alone is asked when this server is among the audiences', async () => {
  const tokens = tokensOf([authority({ user: ann }, true)]);
  assert.deepEqual(await tokens.judge(token, ['them', 'us']), { user: ann, audiences: ['us'] });
  assert.deepEqual(await tokens.judge(token, ['them']), { refusals: [] });
});

test('of what is remembered the oldest goes first, and nothing stays beyond its time', () => {
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

test('a header holds a bearer token or something else', () => {
  assert.equal(bearerOf('Bearer abc')?.text, 'abc');
  assert.equal(bearerOf('bearer  abc ')?.text, 'abc');
  for (const other of ['', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc'])
    assert.equal(bearerOf(other), undefined);
});

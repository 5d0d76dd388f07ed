import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { digestOf } from '../tokens/token-authority.ts';
import { TokenWebhook } from './token-webhook.ts';

const token = { text: 't', digest: digestOf('t') };
const ann = { username: 'ann', uid: '7', groups: ['dev'], extra: { 'example.com/a': ['b'] } };

function fixture(status: JsonObject | undefined) {
  const asked: JsonObject[] = [];
  const state = { now: 0, status };
  const webhook = new TokenWebhook({
    webhook: {
      ask: async (body) => {
        asked.push(body);
        if (state.status === undefined) throw new WebhookFailure('it is away');
        return { kind: 'TokenReview', status: state.status };
      },
    },
    version: 'v1',
    cacheMs: 1000,
    audiences: ['us'],
    now: () => state.now,
  });
  return { webhook, asked, state };
}

test('a webhook answers the user of a token, and gets the audiences of this server', async () => {
  const { webhook, asked } = fixture({ authenticated: true, user: ann });
  assert.deepEqual(await webhook.authenticate(token), {
    user: { name: 'ann', uid: '7', groups: ['dev', 'system:authenticated'], extra: ann.extra },
    audiences: ['us'],
    rememberMs: 1000,
  });
  const spec = { token: 't', audiences: ['us'] };
  assert.deepEqual(asked, [{ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec }]);
});

test('simultaneous calls for one token are joined, and a rejected token is cached for its time', async () => {
  const { webhook, asked, state } = fixture({ authenticated: false, error: 'never heard of it' });
  const refused = { refused: 'never heard of it' };
  assert.deepEqual(await Promise.all([webhook.authenticate(token), webhook.authenticate(token)]), [refused, refused]);
  state.now = 999;
  assert.deepEqual(await webhook.authenticate(token), refused);
  assert.equal(asked.length, 1);
  state.now = 1000;
  await webhook.authenticate(token);
  assert.equal(asked.length, 2);
});

test('a failed call is reported and not cached', async () => {
  const { webhook, state } = fixture(undefined);
  assert.deepEqual(await webhook.authenticate(token), { refused: 'webhook: it is away' });
  state.status = { authenticated: false };
  assert.equal(await webhook.authenticate(token), undefined);
});

test('a token for other audiences is not valid here, and a review answers the requested audiences', async () => {
  const { webhook, state } = fixture({ authenticated: true, user: ann, audiences: ['them'] });
  assert.equal(await webhook.authenticate(token), undefined);
  const verdict = await webhook.authenticate(token, ['them', 'others']);
  assert.deepEqual(verdict && 'user' in verdict && verdict.audiences, ['them']);
  state.status = { authenticated: true, user: ann };
  assert.equal(
    await webhook.authenticate(token, ['others']),
    undefined,
    'it says nothing of audiences: it is for this server',
  );
});

for (const [what, user] of [
  ['no user', undefined],
  ['a user without a name', { groups: ['system:masters'] }],
] as const) {
  test(`an answer with ${what} yields no user`, async () => {
    const { webhook } = fixture({ authenticated: true, user } as never);
    assert.deepEqual(await webhook.authenticate(token), { refused: 'webhook: the answer names no user' });
  });
}

test('at most two hundred token reviews are in flight', async () => {
  const { webhook } = fixture({ authenticated: false });
  const tokens = Array.from({ length: 201 }, (_, i) =>
    webhook.authenticate({ text: `${i}`, digest: digestOf(`${i}`) }),
  );
  const verdicts = await Promise.all(tokens);
  assert.deepEqual(
    verdicts.filter((one) => one !== undefined),
    [{ refused: 'webhook: too many token reviews are in flight' }],
  );
});

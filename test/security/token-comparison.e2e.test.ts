import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { OBSERVED } from '../support/observed.ts';
import { rawRequest, whoAmI } from '../support/raw-request.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

/** from `../support/users.csv` */
const TOKEN = 'abcdefghijklmnopqrstuvwxyz-ABCDEF_0123456789';

describe('Comparison of static tokens', () => {
  let system: RunningSystem;

  before(async () => {
    system = await sharedSystem(OBSERVED);
  });
  after(async () => {
    await system?.stop();
  });

  const usernameFor = async (...headers: string[]) => {
    const info = await whoAmI(system.tidegate, { headers });
    return typeof info === 'number' ? info : info.username;
  };

  test('A token that differs in one character is rejected with 401.', async () => {
    assert.equal(await usernameFor('Authorization', `Bearer ${TOKEN}`), 'eve');
    const changed = [...TOKEN].map((_, i) => `${TOKEN.slice(0, i)}~${TOKEN.slice(i + 1)}`);
    const others = [
      TOKEN.slice(1),
      TOKEN.slice(0, -1),
      `${TOKEN}a`,
      TOKEN.toUpperCase(),
      `${TOKEN}%00`,
      `"${TOKEN}"`,
      '*',
    ];
    for (const token of [...changed, ...others])
      assert.equal(await usernameFor('Authorization', `Bearer ${token}`), 401, token);
  });

  test('The answer does not depend on how much of a token is right.', async () => {
    const answers = [TOKEN.slice(0, 1), TOKEN.slice(0, -1), `${TOKEN}x`, 'x'].map(async (token) => {
      const { code, json } = await rawRequest(system.tidegate, {
        path: '/api',
        headers: ['Authorization', `Bearer ${token}`],
      });
      return JSON.stringify([code, json]);
    });
    assert.equal(new Set(await Promise.all(answers)).size, 1);
  });

  test('A token is accepted only with the scheme Bearer, in a single Authorization header.', async () => {
    for (const value of [TOKEN, `Basic ${TOKEN}`, `Token ${TOKEN}`, `Bearer: ${TOKEN}`, `Bearer ${TOKEN} ${TOKEN}`])
      assert.equal(await usernameFor('Authorization', value), 401, value);
    assert.equal(await usernameFor('Authorization', 'Bearer x', 'Authorization', `Bearer ${TOKEN}`), 401);
    assert.equal(await usernameFor('authorization', `bearer  ${TOKEN} `), 'eve');
  });

  test('No log contains the token.', async () => {
    const dir = join(system.tidegate.dataDir, 'logs');
    for (const name of readdirSync(dir)) {
      const log = readFileSync(join(dir, name), 'utf8');
      for (const part of [TOKEN, TOKEN.slice(1), TOKEN.slice(0, -1)]) assert.ok(!log.includes(part), name);
    }
  });
});

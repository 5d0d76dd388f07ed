import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { OBSERVED } from '../support/observed.ts';
import { rawAsk, whoAmI } from '../support/raw-ask.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

/** of `../support/users.csv` */
const TOKEN = 'abcdefghijklmnopqrstuvwxyz-ABCDEF_0123456789';

describe('A token is compared as a whole', () => {
  let system: RunningSystem;

  before(async () => {
    system = await sharedSystem(OBSERVED);
  });
  after(async () => {
    await system?.stop();
  });

  const who = async (...headers: string[]) => {
    const told = await whoAmI(system.tidegate, { headers });
    return typeof told === 'number' ? told : told.username;
  };

  test('so that nothing that is nearly one is one', async () => {
    assert.equal(await who('Authorization', `Bearer ${TOKEN}`), 'eve');
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
      assert.equal(await who('Authorization', `Bearer ${token}`), 401, token);
  });

  test('so that an answer says nothing of how near it came', async () => {
    const answers = [TOKEN.slice(0, 1), TOKEN.slice(0, -1), `${TOKEN}x`, 'x'].map(async (token) => {
      const { code, json } = await rawAsk(system.tidegate, {
        path: '/api',
        headers: ['Authorization', `Bearer ${token}`],
      });
      return JSON.stringify([code, json]);
    });
    assert.equal(new Set(await Promise.all(answers)).size, 1);
  });

  test('and its scheme is Bearer, in one header', async () => {
    for (const value of [TOKEN, `Basic ${TOKEN}`, `Token ${TOKEN}`, `Bearer: ${TOKEN}`, `Bearer ${TOKEN} ${TOKEN}`])
      assert.equal(await who('Authorization', value), 401, value);
    assert.equal(await who('Authorization', 'Bearer x', 'Authorization', `Bearer ${TOKEN}`), 401);
    assert.equal(await who('authorization', `bearer  ${TOKEN} `), 'eve');
  });

  test('and it stands in no log', async () => {
    const dir = join(system.tidegate.dataDir, 'logs');
    for (const name of readdirSync(dir)) {
      const log = readFileSync(join(dir, name), 'utf8');
      for (const part of [TOKEN, TOKEN.slice(1), TOKEN.slice(0, -1)]) assert.ok(!log.includes(part), name);
    }
  });
});

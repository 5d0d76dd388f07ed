import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

/** more than enough connections for both gateways to have some */
const AT_ONCE = 24;

/** Two gateways share the connections. */
describe('Gets of the current state', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(COMPLETE);
    ({ client } = system);
  });
  after(() => system.stop());

  const many = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, send));

  async function fromMirror(): Promise<number> {
    const { text } = await client.get('/metrics');
    return Number(/^tidegate_gateway_gets_total\{source="mirror"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  test('A get includes every write that was acknowledged before it, whichever gateway has answered that.', async () => {
    const made = await client.request('POST', MAPS, { body: configMap('current', { round: '0' }) });
    assert.equal(made.code, 201, made.text);
    // both gateways mirror the collection from now on
    await many(() => client.get(MAPS));
    const before = await fromMirror();
    for (let round = 1; round <= 40; round++) {
      const written = await client.request('PUT', `${MAPS}/current`, {
        body: configMap('current', { round: `${round}` }),
      });
      assert.equal(written.code, 200, written.text);
      // during the first gets the mirrors still lack the write; during the last ones nothing changes
      for (let time = 1; time <= 4; time++) {
        const got = await many(() => client.get(`${MAPS}/current`));
        assert.deepEqual([...new Set(got.map(({ text }) => text))], [written.text], `round ${round}, time ${time}`);
      }
    }
    await until('both sources to be counted', async () => (await fromMirror()) > before);
  });

  test('A get after an acknowledged deletion is answered with 404, and after a creation with the object.', async () => {
    await many(() => client.get(MAPS));
    for (let round = 1; round <= 10; round++) {
      const made = await client.request('POST', MAPS, { body: configMap('brief') });
      assert.equal(made.code, 201, made.text);
      for (let time = 1; time <= 4; time++) {
        const got = await many(() => client.get(`${MAPS}/brief`));
        assert.ok(got.every(({ code, text }) => code === 200 && text === made.text));
      }
      assert.equal((await client.request('DELETE', `${MAPS}/brief`)).code, 200);
      for (let time = 1; time <= 4; time++) {
        const got = await many(() => client.get(`${MAPS}/brief`));
        assert.ok(got.every(({ code }) => code === 404));
      }
    }
  });
});

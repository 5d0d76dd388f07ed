import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import { type RunningSystem, SMALL_LIMITS } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const MIB = 1 << 20;
const LENGTH = 3 * MIB;
const CONNECTIONS = 60;

describe('Unfinished bodies', () => {
  let system: RunningSystem;
  const open: RawConnection[] = [];
  before(async () => {
    system = await sharedSystem(SMALL_LIMITS);
  });
  after(async () => {
    for (const connection of open) connection.close();
    await system?.stop();
  });

  const residentMib = () => memoryBytes(system.tidegate.pid('gateway')) / MIB;
  /** Sends all of a body but its last byte. */
  const begin = async (authorization: string) => {
    const connection = await RawConnection.open(system.tidegate);
    open.push(connection);
    const length = `Content-Type: application/json\r\nContent-Length: ${LENGTH}\r\n`;
    connection.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\n${authorization}${length}\r\n`);
    connection.write('x'.repeat(LENGTH - 1));
    return connection;
  };

  for (const [who, authorization, code] of [
    ['with an invalid token', 'Authorization: Bearer nobody\r\n', 401],
    ['without credentials', '', 401],
    ['without permission', 'Authorization: Bearer bob-token\r\n', 403],
  ] as const) {
    test(`A request ${who} is answered before its body is read, and the body is not buffered.`, async () => {
      const before = residentMib();
      const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => begin(authorization)));
      await until('all answers', () => connections.every(({ codes }) => codes.length > 0));
      assert.deepEqual([...new Set(connections.flatMap(({ codes }) => codes))], [code]);
      const more = residentMib() - before;
      assert.ok(more < (CONNECTIONS * LENGTH) / MIB / 2, `the gateway has ${more} MiB more`);
    });
  }

  test('Unfinished bodies of one user are limited with 429, and other users are served.', async () => {
    const authorization = `Authorization: Bearer ${system.tidegate.token}\r\n`;
    const connections = await Promise.all(Array.from({ length: 6 }, () => begin(authorization)));
    await until('some rejections', () => connections.filter(({ codes }) => codes.length > 0).length >= 4);
    const rejected = connections.filter(({ codes }) => codes.length > 0);
    assert.deepEqual([...new Set(rejected.flatMap(({ codes }) => codes))], [429]);
    const text = rejected[0]?.text ?? '';
    assert.match(
      text,
      /too many bytes of request bodies of user \\"admin\\" are on their way here \(the limit is 8 MiB\)/,
    );
    assert.match(text, /^Retry-After: 1\r$/im);
    // authorization comes before the limit
    const other = await system.client.request('POST', MAPS, { body: { metadata: { name: 'a' } }, token: 'bob-token' });
    assert.equal(other.code, 403);
    for (const connection of connections) connection.close();
    await until('the reserved bytes to be released', async () => {
      const { code } = await system.client.request('POST', MAPS, { body: { metadata: { generateName: 'a-' } } });
      return code === 201;
    });
  });

  test('In HTTP/2, a rejected request is answered before its body is read, and other streams are served.', async () => {
    const session = await openSession(system.tidegate);
    const stream = session.request({ ':method': 'POST', ':path': MAPS, authorization: 'Bearer bob-token' });
    stream.on('error', () => {});
    stream.write('x'.repeat(MIB));
    const [{ ':status': code }] = await once(stream, 'response');
    assert.equal(code, 403);
    stream.resume();
    const quick = session.request({ ':path': MAPS, authorization: `Bearer ${system.tidegate.token}` });
    quick.resume();
    assert.equal((await once(quick, 'response'))[0][':status'], 200);
    session.destroy();
  });
});

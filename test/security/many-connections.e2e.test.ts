import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { type Client, MAPS, type Watch } from '../support/client.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

const MAX_CONNECTIONS = 40;

describe('Limits for one address and one user', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await runningSystem({
      env: { TIDEGATE_MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS), TIDEGATE_MAX_WATCHES_PER_USER: '3' },
    });
    client = system.client;
  });
  after(() => system?.stop());

  test('Connections above the limit are answered with 429, and above twice the limit closed.', async () => {
    // an existing connection stays usable
    assert.equal((await client.get(MAPS)).code, 200);
    const open: RawConnection[] = [];
    let refused = 0;
    for (let i = 0; i < 2 * MAX_CONNECTIONS + 5; i++) {
      const one = await RawConnection.open(system.tidegate).catch(() => undefined);
      if (one === undefined) refused++;
      else open.push(one);
    }
    assert.ok(refused > 0, 'the last connections are closed before the TLS handshake');
    const last = open.at(-1) as RawConnection;
    last.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await last.closed;
    assert.deepEqual(last.codes, [429]);
    assert.match(last.text, /Too many connections from \S+ are open here \(the limit is 40\): please use fewer\./);
    assert.match(last.text, /Retry-After: 1/);
    assert.equal((await client.get(MAPS)).code, 200);
    for (const one of open) one.close();
    await until('new connections to be accepted', async () => {
      const again = await RawConnection.open(system.tidegate).catch(() => undefined);
      again?.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      await until('an answer', () => again === undefined || again.codes.length > 0);
      again?.close();
      return again?.codes[0] === 200;
    });
    assert.match((await client.get('/metrics')).text, /^tidegate_gateway_dropped_connections_total [1-9]/m);
  });

  test('The number of watches is limited for each user.', async () => {
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'User', name: 'ann' }];
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    await client.request('POST', bindings, { body: { metadata: { name: 'ann' }, roleRef: role, subjects } });
    const asAnn = { 'Impersonate-User': 'ann' };
    const watches: Watch[] = [];
    for (let i = 0; i < 3; i++) watches.push(await client.watch(`${MAPS}?watch=1`, asAnn));
    assert.deepEqual(
      watches.map(({ code }) => code),
      [200, 200, 200],
    );
    const refused = await client.get(`${MAPS}?watch=1`, asAnn);
    assert.equal(refused.code, 429);
    assert.match(refused.text, /^Too many watches of user "ann" are open here \(the limit is 3\): please use fewer\./);
    watches[0]?.close();
    await until('another watch to be accepted', async () => {
      const another = await client.watch(`${MAPS}?watch=1`, asAnn);
      another.close();
      return another.code === 200;
    });
    for (const watch of watches) watch.close();
  });
});

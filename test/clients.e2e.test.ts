import { after, before, describe, test } from 'node:test';
import { fill, goClientTests, testClient } from './support/client-suite.ts';
import { javascript } from './support/foreign-clients.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Clients of other languages', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem(CBOR);
    await fill(system);
  });
  after(() => system.stop());

  goClientTests(() => system);
  test('The JavaScript client reads, writes and watches.', (t) =>
    testClient(t, system, javascript, {
      args: ['javascript'],
      // JavaScript numbers are doubles
      expected: { revision: '7', raw: '{"a":1}' },
    }));
});

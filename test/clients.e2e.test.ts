import { after, before, describe, test } from 'node:test';
import { clientWorks, fill, goWorks } from './support/client-suite.ts';
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

  goWorks(() => system);
  test('JavaScript', (t) =>
    clientWorks(t, system, javascript, {
      args: ['javascript'],
      // its numbers are doubles
      meets: { revision: '7', raw: '{"a":1}' },
    }));
});

import { after, before, describe, test } from 'node:test';
import { fill, goClientTests, testClient } from './support/client-suite.ts';
import { java, python, rust } from './support/foreign-clients.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

describe('Clients of other languages', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ args: ['--feature-gates', 'CBORServingAndStorage=true'] });
    await fill(system);
  });
  after(() => system.stop());

  goClientTests(() => system, true);

  test('The Python client reads, writes and watches.', (t) =>
    testClient(t, system, python, { args: ['python'], allowLongBuild: true }));
  test('The Java client reads, writes and watches.', (t) =>
    testClient(t, system, java, {
      args: ['java'],
      // untyped numbers are read as doubles
      expected: { raw: '{"number":9.007199254740992E15}' },
      allowLongBuild: true,
    }));
  test('The Rust client reads, writes and watches.', (t) =>
    testClient(t, system, rust, { args: ['rust'], allowLongBuild: true }));
});

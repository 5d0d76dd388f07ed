import { after, before, describe, test } from 'node:test';
import { clientWorks, fill, goWorks } from './support/client-suite.ts';
import { java, python, rust } from './support/foreign-clients.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

describe('Clients of other languages', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ args: ['--feature-gates', 'CBORServingAndStorage=true'] });
    await fill(system);
  });
  after(() => system.stop());

  goWorks(() => system, true);

  test('Python', (t) => clientWorks(t, system, python, { args: ['python'], patient: true }));
  test('Java', (t) =>
    clientWorks(t, system, java, {
      args: ['java'],
      // what has no type is read as doubles
      meets: { raw: '{"number":9.007199254740992E15}' },
      patient: true,
    }));
  test('Rust', (t) => clientWorks(t, system, rust, { args: ['rust'], patient: true }));
});

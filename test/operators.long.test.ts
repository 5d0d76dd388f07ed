import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type ForeignClient, install, runClient } from './support/foreign-client.ts';
import { goOperator, rustOperator } from './support/foreign-clients.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/** Operators that generate definitions from their types and reconcile objects. */
describe('Operators', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_CONTROLLERS: '*' } });
  });
  after(() => system?.stop());

  test('An operator with controller-runtime works.', (t) =>
    testOperator(t, goOperator, {
      defaulted: 1,
      said: 'hellohellohello',
      owner: 'Greeting',
      refused:
        'Greeting.hello.example.com "one" is invalid: spec: Invalid value: long texts are said three times at most',
      refusedToo:
        'Greeting.hello.example.com "one" is invalid: [spec.guests[2].title: Unsupported value: "Sir": supported values: "Mr", "Ms", "Dr", spec.guests[1]: Duplicate value: {"name":"a"}, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      selected: 1,
      farewell: 'one',
    }));

  test('An operator with kube-rs works.', (t) =>
    testOperator(t, rustOperator, {
      generation: 2,
      mood: 'Plain',
      words: '5',
      owner: 'Document',
      refused:
        'Document.paper.example.com "one" is invalid: spec.mood: Unsupported value: "Merry": supported values: "Plain", "Solemn"',
    }));

  async function testOperator(
    t: TestContext,
    operator: ForeignClient,
    expected: Record<string, unknown>,
  ): Promise<void> {
    const place = await install(operator, true);
    if ('why' in place) {
      t.skip(place.why);
      return;
    }
    const { kubeconfig } = system.tidegate;
    const answer = await runClient(operator, place.home, { args: [kubeconfig], env: { KUBECONFIG: kubeconfig } });
    assert.deepEqual(answer, expected);
  }
});

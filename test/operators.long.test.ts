import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { answerOf, type ForeignClient, ready } from './support/foreign-client.ts';
import { goOperator, rustOperator } from './support/foreign-clients.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/** Programs that define their kinds from their own types, and look after the objects that people make of them. */
describe('Operators', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_CONTROLLERS: '*' } });
  });
  after(() => system?.stop());

  test('with controller-runtime', (t) =>
    operates(t, goOperator, {
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

  test('with kube-rs', (t) =>
    operates(t, rustOperator, {
      generation: 2,
      mood: 'Plain',
      words: '5',
      owner: 'Document',
      refused:
        'Document.paper.example.com "one" is invalid: spec.mood: Unsupported value: "Merry": supported values: "Plain", "Solemn"',
    }));

  async function operates(t: TestContext, operator: ForeignClient, meets: Record<string, unknown>): Promise<void> {
    const place = await ready(operator, true);
    if ('why' in place) {
      t.skip(place.why);
      return;
    }
    const { kubeconfig } = system.tidegate;
    const answer = await answerOf(operator, place.home, { args: [kubeconfig], env: { KUBECONFIG: kubeconfig } });
    assert.deepEqual(answer, meets);
  }
});

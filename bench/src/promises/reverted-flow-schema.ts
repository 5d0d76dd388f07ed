import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const CATCH_ALL = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all';

/** From the answer to a change of a mandatory flow schema until it is reverted. */
export const revertedFlowSchema: PromisedTime = {
  name: 'a change of a mandatory flow schema is reverted',
  limitMs: 1000,
  page: 'docs/operate/limits.md',
  times: 5,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    const precedence = async () => (await first.must('GET', CATCH_ALL)).json.spec.matchingPrecedence;
    const mandatory = await precedence();
    return repeat(times, async () => {
      await first.must('PATCH', CATCH_ALL, { spec: { matchingPrecedence: mandatory - 1 } });
      return elapsedUntil('the change to be reverted', async () => (await precedence()) === mandatory);
    });
  },
};

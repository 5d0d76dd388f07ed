import { elapsedUntil, SHORT_PAUSE_MS } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const NAME = 'promise-flow';
const everything = { verbs: ['*'], nonResourceURLs: ['*'] };

/** From the answer to the creation of a flow schema until the other gateway assigns requests to it. */
export const flowSchema: PromisedTime = {
  name: 'a flow schema applies at the other gateway',
  limitMs: 1000,
  page: 'docs/operate/limits.md',
  times: 10,
  async measure(systems, times) {
    const { first, second } = await systems.twoOfEach();
    return repeat(times, async () => {
      const { json } = await first.must('POST', SCHEMAS, {
        metadata: { name: NAME },
        spec: {
          matchingPrecedence: 1000,
          priorityLevelConfiguration: { name: 'workload-low' },
          rules: [{ subjects: [{ kind: 'User', user: { name: 'bea' } }], nonResourceRules: [everything] }],
        },
      });
      const isAssigned = async () => {
        const { headers } = await second.send('GET', '/version', { as: 'bea' });
        return headers['x-kubernetes-pf-flowschema-uid'] === json.metadata.uid;
      };
      const ms = await elapsedUntil('a request to be assigned to the schema', isAssigned, SHORT_PAUSE_MS);
      await first.must('DELETE', `${SCHEMAS}/${NAME}`);
      return ms;
    });
  },
};

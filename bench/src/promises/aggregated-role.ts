import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const labels = { 'promise.example/part': 'yes' };

/** From the answer to the creation of a role until the role that selects it has its rules. */
export const aggregatedRole: PromisedTime = {
  name: 'an aggregated role gets the rules of a new role',
  limitMs: 1000,
  page: 'docs/operate/authorization.md',
  times: 10,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
    await first.must('POST', ROLES, { metadata: { name: 'promise-whole' }, aggregationRule });
    return repeat(times, async (round) => {
      const rules = [{ verbs: ['get'], apiGroups: [''], resources: [`things-${round}`] }];
      await first.must('POST', ROLES, { metadata: { name: `promise-part-${round}`, labels }, rules });
      const hasRule = async () => {
        const whole = await first.must('GET', `${ROLES}/promise-whole`);
        return JSON.stringify(whole.json.rules ?? []).includes(`"things-${round}"`);
      };
      return elapsedUntil('the aggregated role', hasRule);
    });
  },
};

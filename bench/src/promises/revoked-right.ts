import { elapsedUntil, SHORT_PAUSE_MS } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const NAME = 'promise-reader';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** From the answer to the deletion of a binding until the other gateway denies what the binding allowed. */
export const revokedRight: PromisedTime = {
  name: 'a revoked right is denied by the other gateway',
  limitMs: 100,
  page: 'docs/operate/authorization.md',
  times: 20,
  async measure(systems, times) {
    const { first, second } = await systems.twoOfEach();
    const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }];
    await first.must('POST', `${RBAC}/clusterroles`, { metadata: { name: NAME }, rules });
    const isDenied = async () => (await second.send('GET', MAPS, { as: 'ann' })).code === 403;
    return repeat(times, async () => {
      await first.must('POST', `${RBAC}/clusterrolebindings`, {
        metadata: { name: NAME },
        roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: NAME },
        subjects: [{ kind: 'User', name: 'ann', apiGroup: GROUP }],
      });
      await elapsedUntil('the right to be granted', async () => !(await isDenied()));
      await first.must('DELETE', `${RBAC}/clusterrolebindings/${NAME}`);
      return elapsedUntil('the right to be revoked', isDenied, SHORT_PAUSE_MS);
    });
  },
};

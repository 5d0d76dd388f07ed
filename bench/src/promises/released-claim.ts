import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const CORE = '/api/v1/namespaces/default';
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** From the answer to the deletion of the last pod that uses a deleted claim until the claim is gone. */
export const releasedClaim: PromisedTime = {
  name: 'a deleted claim is gone after its last pod',
  limitMs: 1000,
  page: 'docs/operate/admission-plugins.md',
  times: 10,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    return repeat(times, async (round) => {
      const name = `promise-${round}`;
      await first.must('POST', `${CORE}/persistentvolumeclaims`, { metadata: { name }, spec: claim });
      await first.must('POST', `${CORE}/pods`, {
        metadata: { name },
        spec: {
          nodeName: 'n',
          containers: [{ name: 'a', image: 'a' }],
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
        },
      });
      await first.must('DELETE', `${CORE}/persistentvolumeclaims/${name}`);
      await first.must('DELETE', `${CORE}/pods/${name}?gracePeriodSeconds=0`);
      const isGone = async () => (await first.codeOf(`${CORE}/persistentvolumeclaims/${name}`)) === 404;
      return elapsedUntil('the claim to be gone', isGone);
    });
  },
};

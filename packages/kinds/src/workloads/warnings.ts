import type { ByResource } from '../family.ts';
import { warnOfName, warnOfPod } from '../pods/warnings.ts';
import { Place } from '../rules/place.ts';
import { isOther, type Warnings } from '../rules/warnings.ts';
import { warnOfClaim } from '../volumes/warnings.ts';

/** What makes pods from a template, and names them after itself. */
const warnOfMaker: Warnings = (object, tell, old) => {
  if (old === undefined) warnOfName(object, 'Pod names and hostnames', tell);
  if (isOther(object, old)) warnOfPod(object.field('spec.template'), tell);
};

const warnOfDaemonSet: Warnings = (object, tell, old) => {
  if (isOther(object, old)) warnOfPod(object.field('spec.template'), tell);
};

const warnOfPodTemplate: Warnings = (object, tell, old) => {
  if (isOther(object, old)) warnOfPod(object.field('template'), tell);
};

const warnOfStatefulSet: Warnings = (object, tell, old) => {
  const spec = object.field('spec');
  if (isOther(object, old)) warnOfPod(spec.field('template'), tell);
  const claims = spec.field('volumeClaimTemplates');
  for (const [i, claim] of claims.items().entries()) {
    // its spec is told as if it were the claim, or by the name that programs have for it
    const { value } = claim.field('spec');
    warnOfClaim(old === undefined ? new Place(claims, i, value, []) : claim.as('Spec', value), tell);
  }
  if (Number(spec.object.revisionHistoryLimit ?? 0) < 0) {
    const words = 'a negative value retains all historical revisions; a value >= 0 is recommended';
    tell(`spec.revisionHistoryLimit: ${words}`);
  }
};

export const warnings: ByResource<Warnings> = {
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfMaker,
  'deployments.apps': warnOfMaker,
  'replicasets.apps': warnOfMaker,
  'statefulsets.apps': warnOfStatefulSet,
  'daemonsets.apps': warnOfDaemonSet,
};

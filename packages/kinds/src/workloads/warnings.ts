import type { ByResource } from '../family.ts';
import { warnOfName, warnOfPod } from '../pods/warnings.ts';
import { Place } from '../rules/place.ts';
import { isChanged, type Warnings } from '../rules/warnings.ts';
import { warnOfClaim } from '../volumes/warnings.ts';

/** The warnings of controllers that name their pods after themselves. */
const warnOfPodController: Warnings = (object, warn, old) => {
  if (old === undefined) warnOfName(object, 'Pod names and hostnames', warn);
  if (isChanged(object, old)) warnOfPod(object.field('spec.template'), warn);
};

const warnOfDaemonSet: Warnings = (object, warn, old) => {
  if (isChanged(object, old)) warnOfPod(object.field('spec.template'), warn);
};

const warnOfPodTemplate: Warnings = (object, warn, old) => {
  if (isChanged(object, old)) warnOfPod(object.field('template'), warn);
};

const warnOfStatefulSet: Warnings = (object, warn, old) => {
  const spec = object.field('spec');
  if (isChanged(object, old)) warnOfPod(spec.field('template'), warn);
  const claims = spec.field('volumeClaimTemplates');
  for (const [i, claim] of claims.items().entries()) {
    // Kubernetes reports the spec as if it were the claim, or under its Go name
    const { value } = claim.field('spec');
    warnOfClaim(old === undefined ? new Place(claims, i, value, []) : claim.as('Spec', value), warn);
  }
  if (Number(spec.object.revisionHistoryLimit ?? 0) < 0) {
    const words = 'a negative value retains all historical revisions; a value >= 0 is recommended';
    warn(`spec.revisionHistoryLimit: ${words}`);
  }
};

export const warnings: ByResource<Warnings> = {
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfPodController,
  'deployments.apps': warnOfPodController,
  'replicasets.apps': warnOfPodController,
  'statefulsets.apps': warnOfStatefulSet,
  'daemonsets.apps': warnOfDaemonSet,
};

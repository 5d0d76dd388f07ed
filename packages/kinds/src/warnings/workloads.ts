import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { labelProblems } from '../rules/names.ts';
import { Place } from '../validation/place.ts';
import { warnOfPod } from './pods.ts';
import { warnOfClaim } from './volumes.ts';
import type { Tell, Warnings } from './warn.ts';

/** Pods are watched over by machines, and written often: of a change nothing is told. */
export const warnOfPodObject: Warnings = (pod, tell, old) => {
  if (old !== undefined) return;
  warnOfName(pod, "the Pod's hostname", tell);
  warnOfPod(pod, tell);
};

/** What makes pods from a template, and names them after itself. */
export const warnOfMaker: Warnings = (object, tell, old) => {
  if (old === undefined) warnOfName(object, 'Pod names and hostnames', tell);
  if (isOther(object, old)) warnOfPod(object.field('spec.template'), tell);
};

export const warnOfDaemonSet: Warnings = (object, tell, old) => {
  if (isOther(object, old)) warnOfPod(object.field('spec.template'), tell);
};

export const warnOfPodTemplate: Warnings = (object, tell, old) => {
  if (isOther(object, old)) warnOfPod(object.field('template'), tell);
};

export const warnOfStatefulSet: Warnings = (object, tell, old) => {
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

export const warnOfJob: Warnings = (job, tell, old) => {
  if (old === undefined) warnOfName(job, 'Pod names and hostnames', tell);
  if (isOther(job, old)) warnOfJobSpec(job.field('spec'), tell);
};

export const warnOfCronJob: Warnings = (job, tell, old) => {
  if (old === undefined) warnOfName(job, 'Pod names and hostnames', tell);
  if (isOther(job, old)) warnOfJobSpec(job.field('spec.jobTemplate.spec'), tell);
  if (old === undefined || !job.field('spec.schedule').text.includes('TZ')) return;
  const where = 'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  tell(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, ${where}`);
};

const MANY_COMPLETIONS = 100_000;
const MANY_AT_ONCE = 10_000;

function warnOfJobSpec(spec: Place, tell: Tell): void {
  const { completionMode, completions = 0, parallelism = 0 } = spec.object;
  if (completionMode === 'Indexed' && Number(completions) > MANY_COMPLETIONS && Number(parallelism) > MANY_AT_ONCE) {
    const words =
      'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
    tell(`${spec.path}: ${words}`);
  }
  warnOfPod(spec.field('template'), tell);
}

function warnOfName(object: Place, use: string, tell: Tell): void {
  const problems = labelProblems(object.field('metadata.name').text);
  if (problems.length === 0) return;
  const words = 'which can result in surprising behavior; a DNS label is recommended';
  tell(`metadata.name: this is used in ${use}, ${words}: [${problems.join(' ')}]`);
}

/** Something is wanted that was not wanted before. */
function isOther(object: Place, old: JsonObject | undefined): boolean {
  if (old === undefined) return true;
  const before = isJsonObject(old.metadata) ? old.metadata.generation : undefined;
  return before !== object.field('metadata').object.generation;
}

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { podSpecDefaults, templateLabels, withTemplate } from '../pods/defaults.ts';
import { warnOfName, warnOfPod } from '../pods/warnings.ts';
import { below, defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';
import { valueAt } from '../rules/fields.ts';
import type { Place } from '../rules/place.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { type AddWarning, isChanged, type Warnings } from '../rules/warnings.ts';
import { columns } from './columns.ts';
import { batchChecks, jobUpdate } from './validation.ts';

const INT32_MAX = 2 ** 31 - 1;

const job = withTemplate({
  'spec.completions': ({ parallelism }) => (parallelism === undefined ? 1 : undefined),
  'spec.parallelism': 1,
  'spec.completionMode': new IfAbsent('NonIndexed'),
  'spec.suspend': false,
  'spec.backoffLimit': ({ backoffLimitPerIndex }) => (backoffLimitPerIndex === undefined ? 6 : INT32_MAX),
  'spec.podReplacementPolicy': new IfAbsent(({ podFailurePolicy }) =>
    podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  ),
  'spec.podFailurePolicy.rules[].onPodConditions[].status': 'True',
  'spec.manualSelector': false,
});

/** A job selects its pods by its uid, unless manualSelector is set. */
function selectOwnPods(job: JsonObject): void {
  const spec = job.spec as JsonObject | undefined;
  if (spec === undefined || spec.manualSelector === true || !isJsonObject(spec.template)) return;
  const meta = metaOf(job);
  const { uid = '', name = '' } = meta;
  const template = metaOf(spec.template);
  // labels that were copied from the template by default stay equal to those of the template
  const shared = meta.labels === undefined || isDeepStrictEqual(meta.labels, template.labels);
  template.labels = {
    ...template.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  if (shared) meta.labels = { ...template.labels };
  const selector = (spec.selector ?? {}) as JsonObject;
  const matchLabels = { ...((selector.matchLabels ?? {}) as JsonObject), 'batch.kubernetes.io/controller-uid': uid };
  spec.selector = { ...selector, matchLabels };
}

const warnOfJob: Warnings = (job, warn, old) => {
  if (old === undefined) warnOfName(job, 'Pod names and hostnames', warn);
  if (isChanged(job, old)) warnOfJobSpec(job.field('spec'), warn);
};

const warnOfCronJob: Warnings = (job, warn, old) => {
  if (old === undefined) warnOfName(job, 'Pod names and hostnames', warn);
  if (isChanged(job, old)) warnOfJobSpec(job.field('spec.jobTemplate.spec'), warn);
  if (old === undefined || !job.field('spec.schedule').text.includes('TZ')) return;
  const where = 'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  warn(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, ${where}`);
};

const MANY_COMPLETIONS = 100_000;
const MANY_PARALLEL = 10_000;

function warnOfJobSpec(spec: Place, warn: AddWarning): void {
  const { completionMode, completions = 0, parallelism = 0 } = spec.object;
  if (completionMode === 'Indexed' && Number(completions) > MANY_COMPLETIONS && Number(parallelism) > MANY_PARALLEL) {
    const text =
      'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
    warn(`${spec.path}: ${text}`);
  }
  warnOfPod(spec.field('template'), warn);
}

const defaults: ByResource<SetDefaults> = {
  'cronjobs.batch': defaulter({
    'spec.concurrencyPolicy': 'Allow',
    'spec.suspend': false,
    'spec.successfulJobsHistoryLimit': 3,
    'spec.failedJobsHistoryLimit': 1,
    'spec.jobTemplate.spec.podFailurePolicy.rules[].onPodConditions[].status': 'True',
    ...below('spec.jobTemplate.spec.template.spec', podSpecDefaults),
  }),
  'jobs.batch': (object) => {
    job(object);
    const labels = templateLabels(object);
    if (labels !== undefined) metaOf(object).labels ??= { ...labels };
  },
};

const rules: ByResource<KindRules> = {
  'cronjobs.batch': { generationPaths: ['spec'] },
  'jobs.batch': {
    generationPaths: ['spec'],
    prepareCreate: selectOwnPods,
    orphansByDefault: {
      warning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    },
    selectableFields: { 'status.successful': (job) => String(valueAt(job, 'status.succeeded') ?? 0) },
  },
};

const updates: ByResource<UpdateChecks> = {
  'jobs.batch': { '': jobUpdate },
};

const warnings: ByResource<Warnings> = {
  'jobs.batch': warnOfJob,
  'cronjobs.batch': warnOfCronJob,
};

export const batch: Family = { rules, defaults, columns, updates, warnings, types: batchChecks };

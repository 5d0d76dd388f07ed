import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, flagAt, hasCondition, NONE, numberAt, selectorText, textAt } from '../rules/cells.ts';
import { ageColumn, ageOf, boolean, column, integer, nameColumn, shortDuration } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';
import { bySelector, selectorColumn, TEMPLATE, templateColumns } from '../workloads/columns.ts';

const JOB_STATES = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
  ['', 'Terminating'],
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
] as const;

function jobStatus(job: JsonObject): string {
  const deleting = valueAt(job, 'metadata.deletionTimestamp') !== undefined;
  const state = JOB_STATES.find(([condition]) => (condition === '' ? deleting : hasCondition(job, condition)));
  return state?.[1] ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const done = numberAt(job, 'status.succeeded');
  const all = valueAt(job, 'spec.completions');
  if (all !== undefined) return `${done}/${String(all)}`;
  const parallelism = numberAt(job, 'spec.parallelism');
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration(job: JsonObject): string {
  const start = textAt(job, 'status.startTime');
  const end = textAt(job, 'status.completionTime');
  if (start === '') return '';
  return end === '' ? ageOf(start) : shortDuration(Math.floor((Date.parse(end) - Date.parse(start)) / 1000));
}

export const columns: ByResource<readonly Column[]> = {
  'cronjobs.batch': [
    nameColumn,
    column('Schedule', 'Schedule of the jobs', cellAt('spec.schedule')),
    column('Timezone', 'Time zone of the schedule', cellAt('spec.timeZone', NONE)),
    boolean('Suspend', 'Whether the schedule is suspended', (object) =>
      flagAt(object, 'spec.suspend') ? 'True' : 'False',
    ),
    integer('Active', 'Number of running jobs', (object) => countAt(object, 'status.active')),
    column('Last Schedule', 'Time since the last start of a job', (object) => {
      const last = textAt(object, 'status.lastScheduleTime');
      return last === '' ? NONE : ageOf(last);
    }),
    ageColumn,
    ...templateColumns('spec.jobTemplate.spec.template.spec'),
    selectorColumn((object) => selectorText(valueAt(object, 'spec.jobTemplate.spec.selector'))),
  ],
  'jobs.batch': [
    nameColumn,
    column('Status', 'State of the job', jobStatus),
    column('Completions', 'Succeeded and required pods', jobCompletions),
    column('Duration', 'Duration of the job until now or its end', jobDuration),
    ageColumn,
    ...templateColumns(TEMPLATE),
    bySelector,
  ],
};

import type { JsonObject } from '@tidegate/schema';
import { IMMUTABLE, notNegative, oneOf, required, sameValue } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable } from './rules.ts';
import { scheduleProblem } from './schedule.ts';
import { selects } from './selectors.ts';

const job: Check = (spec) => {
  const policy = spec.field('template.spec.restartPolicy');
  if (policy.text === 'Always') policy.required('valid values: "OnFailure", "Never"');
  if (spec.object.completionMode === 'Indexed' && !spec.has('completions')) {
    spec.field('completions').required('when completion mode is Indexed');
  }
  if (spec.has('backoffLimitPerIndex') && spec.object.completionMode !== 'Indexed') {
    spec.field('backoffLimitPerIndex').invalid('requires indexed completion mode');
  }
  // one of a schedule gets its selector when it is made
  const selector = spec.field('selector');
  if (spec.up(1).step === 'jobTemplate') return;
  if (selector.value === undefined) {
    selector.required();
    return;
  }
  const labels = spec.field('template.metadata.labels');
  const uid = spec.up(1).field('metadata.uid').text;
  const wanted = { matchLabels: { [UID_LABEL]: uid } };
  if (spec.object.manualSelector !== true && !sameValue(selector.value, wanted)) {
    selector.invalid('`selector` not auto-generated');
  }
  if (selects(selector.object, labels.object as Record<string, string>) !== true) {
    labels.invalid('`selector` does not match template `labels`');
  }
};
const UID_LABEL = 'batch.kubernetes.io/controller-uid';

const failureRule: Check = (place) => {
  const given = ['onExitCodes', 'onPodConditions'].filter((name) => !place.field(name).isEmpty);
  if (given.length === 2) place.add(said(place, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (given.length === 0) place.add(said(place, 'specifying one of OnExitCodes and OnPodConditions is required'));
};

function said(place: Place, words: string) {
  return { field: place.path, type: 'FieldValueInvalid', message: `Invalid value: ${words}` } as const;
}

const exitCodes: Check = (place) => {
  const values = place.field('values');
  if (values.isEmpty) values.invalid('at least one value is required');
  if (values.list.length > 255) values.invalid('must have at most 255 items');
  if (place.object.operator !== 'In' && place.object.operator !== 'NotIn')
    place.field('operator').unsupported(['In', 'NotIn']);
  for (const code of values.items()) {
    if (place.object.operator === 'In' && code.value === 0) code.invalid('must not be 0 for the In operator');
  }
};

const schedule: Check = (place) => {
  if (/^(?:CRON_)?TZ=/.test(place.text))
    place.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else {
    const problem = scheduleProblem(place.text);
    if (problem !== undefined) place.invalid(problem);
  }
};

const timeZone: Check = (place) => {
  const { text } = place;
  if (text === '') place.invalid('timeZone must be nil or non-empty string');
  else if (/^local$/i.test(text)) {
    place.invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  } else if (!isTimeZone(text)) place.invalid(`unknown time zone ${text}`);
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // a RangeError: nobody knows the zone
    return false;
  }
}

const shortName: Check = (object) => {
  const name = object.field('metadata.name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
};

export const batchRules: RuleTable = {
  'batch.v1.JobSpec': {
    parallelism: notNegative,
    completions: notNegative,
    backoffLimit: notNegative,
    backoffLimitPerIndex: notNegative,
    maxFailedIndexes: notNegative,
    activeDeadlineSeconds: notNegative,
    ttlSecondsAfterFinished: notNegative,
    completionMode: oneOf('NonIndexed', 'Indexed'),
    podReplacementPolicy: oneOf('Failed', 'TerminatingOrFailed'),
    '': job,
  },
  'batch.v1.PodFailurePolicyRule': { action: oneOf('Count', 'FailIndex', 'FailJob', 'Ignore'), '': failureRule },
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': { '': exitCodes },
  'batch.v1.CronJobSpec': {
    schedule: [required(), schedule],
    timeZone,
    startingDeadlineSeconds: notNegative,
    successfulJobsHistoryLimit: notNegative,
    failedJobsHistoryLimit: notNegative,
    concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
  },
  'batch.v1.CronJob': { '': shortName },
};

/** What of a waiting job's pods may still be decided. */
export function jobUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  for (const name of [
    'completions',
    'selector',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'successPolicy',
    'managedBy',
  ]) {
    const field = now.field(name);
    const together =
      name === 'completions' && now.object.completionMode === 'Indexed' && field.value === now.object.parallelism;
    if (!together && !sameValue(field.value, before.object[name])) field.invalid(IMMUTABLE);
  }
  const waits = before.object.suspend === true && old.field('status.startTime').isEmpty;
  const [mine, theirs] = [now.object.template, before.object.template].map((one) =>
    waits ? decided(one as JsonObject) : one,
  );
  if (!sameValue(mine, theirs)) now.field('template').invalid(IMMUTABLE);
}

function decided(template: JsonObject): JsonObject {
  const {
    nodeSelector: _selector,
    affinity: _affinity,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...spec
  } = template.spec as JsonObject;
  const { labels: _labels, annotations: _annotations, ...metadata } = (template.metadata ?? {}) as JsonObject;
  return { metadata, spec };
}

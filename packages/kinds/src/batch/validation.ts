import type { JsonObject } from '@tidegate/schema';
import { containerNames } from '../containers/container.ts';
import { labelKeyProblems, subdomainProblems } from '../objects/names.ts';
import { IMMUTABLE, notNegative, oneOf, required, requiredOneOf, sameValue } from '../rules/checks.ts';
import { once, type Place } from '../rules/place.ts';
import { selects } from '../rules/selectors.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { scheduleProblem } from './schedule.ts';

const MAX_INDEXES = 100_000;

const job: Check = (spec) => {
  checkRestartPolicy(spec);
  checkIndexes(spec);
  const manager = spec.field('managedBy');
  if (manager.value !== undefined) managedBy(manager);
  if (spec.up(1).step === 'jobTemplate') checkJobOfCronJob(spec);
  else checkSelector(spec);
};

function checkRestartPolicy(spec: Place): void {
  const policy = spec.field('template.spec.restartPolicy');
  if (policy.text === 'Always' || policy.text === '') policy.required('valid values: "OnFailure", "Never"');
  else if (!RESTARTS.includes(policy.text)) policy.unsupported(RESTARTS);
  else if (spec.has('podFailurePolicy') && policy.text !== 'Never') {
    policy.invalid('only "Never" is supported when podFailurePolicy is specified');
  }
}
const RESTARTS = ['OnFailure', 'Never'];

/** Checks of jobs with indexed completion. */
function checkIndexes(spec: Place): void {
  const [completions, failed, limit] = [
    spec.field('completions'),
    spec.field('maxFailedIndexes'),
    spec.field('backoffLimitPerIndex'),
  ];
  const indexed = spec.object.completionMode === 'Indexed';
  if (failed.value !== undefined && limit.value === undefined) limit.required('when maxFailedIndexes is specified');
  if (indexed) {
    if (completions.value === undefined) completions.required('when completion mode is Indexed');
    checkIndexLimits(spec, Number(completions.value ?? 0));
  } else {
    // an unknown mode is one error, and its other rules are not checked
    const known = [undefined, 'NonIndexed'].includes(spec.object.completionMode as string);
    for (const one of known ? [limit, failed] : []) {
      if (one.value !== undefined) one.invalid('requires indexed completion mode');
    }
    const success = spec.field('successPolicy');
    if (success.value !== undefined) success.invalid('requires indexed completion mode');
  }
}

function checkIndexLimits(spec: Place, completions: number): void {
  const [parallelism, failed] = [spec.field('parallelism'), spec.field('maxFailedIndexes')];
  if (Number(parallelism.value) > MAX_INDEXES) {
    parallelism.invalid(`must be less than or equal to ${MAX_INDEXES} when completion mode is Indexed`);
  }
  if (failed.value !== undefined) {
    if (Number(failed.value) > completions) failed.invalid('must be less than or equal to completions');
    if (Number(failed.value) > MAX_INDEXES) failed.invalid(`must be less than or equal to ${MAX_INDEXES}`);
  } else if (completions > MAX_INDEXES && spec.has('backoffLimitPerIndex')) {
    failed.required(`must be specified when completions is above ${MAX_INDEXES}`);
  }
}

function managedBy(place: Place): void {
  const { text } = place;
  if (text === '') place.required();
  const [domain = '', path = ''] = text.split('/', 2);
  if (text !== '' && (text.split('/').length < 2 || domain === '' || path === '')) {
    place.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
  } else if (text !== '') place.invalidFor(subdomainProblems(domain), domain);
  if (text.length > 63) place.tooLong('may not be more than 63 bytes');
}

/** A job of a CronJob gets its selector when it is created. */
function checkJobOfCronJob(spec: Place): void {
  const [selector, manual] = [spec.field('selector'), spec.field('manualSelector')];
  if (selector.value !== undefined) selector.invalid('`selector` will be auto-generated');
  if (manual.value === true) manual.unsupported(['nil', 'false'], true);
}

function checkSelector(spec: Place): void {
  const selector = spec.field('selector');
  if (selector.value === undefined) selector.required();
  const labels = spec.field('template.metadata.labels');
  const fits = selects(selector.value as JsonObject | undefined, labels.object as Record<string, string>);
  if (fits === undefined) return;
  const uid = spec.up(1).field('metadata.uid').text;
  const { matchLabels = {}, matchExpressions = [] } = selector.object as {
    matchLabels?: JsonObject;
    matchExpressions?: [];
  };
  const own = Object.keys(matchLabels).length === 1 && matchLabels[UID_LABEL] === uid && matchExpressions.length === 0;
  if (selector.value !== undefined && spec.object.manualSelector !== true && !own) {
    selector.invalid('`selector` not auto-generated');
  }
  if (!fits) labels.invalid('`selector` does not match template `labels`');
}
const UID_LABEL = 'batch.kubernetes.io/controller-uid';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const MAX_RULES = 20;

/** Values as Kubernetes prints lists of them. */
const printed = (values: readonly string[]): string => `[${values.map((one) => JSON.stringify(one)).join(' ')}]`;

const failureRule: Check = (place) => {
  const action = place.field('action');
  if (action.text === '') action.required(`valid values: ${printed(ACTIONS)}`);
  else if (!ACTIONS.includes(action.text)) action.unsupported(ACTIONS);
  else if (action.text === 'FailIndex' && !place.up(3).has('backoffLimitPerIndex')) {
    action.invalid('requires the backoffLimitPerIndex to be set');
  }
  const given = ['onExitCodes', 'onPodConditions'].filter((name) => !place.field(name).isEmpty);
  if (given.length === 2)
    place.addError(() => failureRuleError(place, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (given.length === 0)
    place.addError(() => failureRuleError(place, 'specifying one of OnExitCodes and OnPodConditions is required'));
};

function failureRuleError(place: Place, text: string) {
  return { field: place.path, type: 'FieldValueInvalid', message: `Invalid value: ${text}` } as const;
}

const exitCodes: Check = (place) => {
  const values = place.field('values');
  if (values.isEmpty) values.invalid('at least one value is required');
  if (values.list.length > 255) values.invalid('must have at most 255 items');
  const operator = place.field('operator');
  if (operator.text === '') operator.required(`valid values: ${printed(OPERATORS)}`);
  else if (!OPERATORS.includes(operator.text)) operator.unsupported(OPERATORS);
  const seen = new Set<unknown>();
  for (const code of values.items()) {
    if (operator.text === 'In' && code.value === 0) code.invalid('must not be 0 for the In operator');
    if (seen.has(code.value)) code.duplicate();
    seen.add(code.value);
  }
  const numbers = values.list.map(Number);
  if (numbers.some((number, index) => index > 0 && number < Number(numbers[index - 1]))) {
    values.invalid('must be ordered');
  }
  const container = place.field('containerName');
  if (container.value !== undefined && !namesInTemplate(place.up(4)).has(container.text)) {
    container.invalid('must be one of the container or initContainer names in the pod template');
  }
};
const namesInTemplate = once((spec) => containerNames(spec.field('template.spec')));
const OPERATORS = ['In', 'NotIn'];

const podCondition: Check = (place) => {
  const [type, status] = [place.field('type'), place.field('status')];
  type.invalidFor(labelKeyProblems(type.text), type.text);
  if (!STATES.includes(status.text)) status.unsupported(STATES, status.text);
};
const STATES = ['False', 'True', 'Unknown'];

const success: Check = (policy) => {
  if (policy.up(1).object.completionMode !== 'Indexed') return;
  const rules = policy.field('rules');
  if (rules.isEmpty) rules.required('at least one rules must be specified when the successPolicy is specified');
  rules.atMost(MAX_RULES);
  const completions = Number(policy.up(1).object.completions ?? 0);
  for (const rule of rules.items()) successRule(rule, completions);
};

function successRule(rule: Place, completions: number): void {
  const [count, ranges] = [rule.field('succeededCount'), rule.field('succeededIndexes')];
  if (count.value === undefined && ranges.value === undefined) {
    rule.required('at least one of succeededCount or succeededIndexes must be specified');
  }
  let total = completions;
  if (ranges.value !== undefined) {
    const found = countIndexes(ranges.text, completions);
    if ('problem' in found) ranges.invalid(`error parsing succeededIndexes: ${found.problem}`);
    else total = found.total;
  }
  if (count.value === undefined) return;
  notNegative(count);
  if (Number(count.value) > completions) {
    count.invalid(`must be less than or equal to ${completions} (the number of specified completions)`);
  }
  if (ranges.value !== undefined && Number(count.value) > total && total <= completions) {
    count.invalid(
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
  }
}

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
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

const shortName: Check = (object) => {
  const name = object.field('metadata.name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
};

const ONLY_FAILED = requiredOneOf('Failed');
const REPLACED = requiredOneOf('Failed', 'TerminatingOrFailed');

export const batchChecks: RuleTable = {
  'batch.v1.JobSpec': {
    parallelism: notNegative,
    completions: notNegative,
    backoffLimit: notNegative,
    backoffLimitPerIndex: notNegative,
    maxFailedIndexes: notNegative,
    activeDeadlineSeconds: notNegative,
    ttlSecondsAfterFinished: notNegative,
    completionMode: requiredOneOf('NonIndexed', 'Indexed'),
    selector: (place) => place.up(2).step !== 'jobTemplate',
    podReplacementPolicy: (place) => (place.up(1).has('podFailurePolicy') ? ONLY_FAILED(place) : REPLACED(place)),
    '': job,
  },
  'batch.v1.PodFailurePolicy': { rules: (list) => list.atMost(MAX_RULES) },
  'batch.v1.PodFailurePolicyRule': { onPodConditions: (list) => list.atMost(MAX_RULES), '': failureRule },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': { '': podCondition },
  'batch.v1.SuccessPolicy': { '': success },
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

/** Checks an update. The template of a suspended job can change its scheduling fields until the job starts. */
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
  const notStarted = before.object.suspend === true && old.field('status.startTime').isEmpty;
  const [template, oldTemplate] = [now.object.template, before.object.template].map((one) =>
    notStarted ? withoutSchedulingFields(one as JsonObject) : one,
  );
  if (!sameValue(template, oldTemplate)) now.field('template').invalid(IMMUTABLE);
}

function withoutSchedulingFields(template: JsonObject): JsonObject {
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

/**
 * Counts the numbers in a text of numbers and ranges: `1,3-5` has four. They must increase, and be below the number
 * of completions.
 */
function countIndexes(text: string, completions: number): { total: number } | { problem: string } {
  if (text === '') return { total: 0 };
  let total = 0;
  let last: number | undefined;
  for (const part of text.split(',')) {
    const ends = part.split('-');
    if (ends.length > 2)
      return {
        problem: `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      };
    const numbers: number[] = [];
    for (const end of ends) {
      if (!/^[+-]?\d+$/.test(end)) {
        return { problem: `cannot convert string to integer for index: ${JSON.stringify(end)}` };
      }
      numbers.push(Number(end));
    }
    const [first = 0, to = first] = numbers;
    for (const number of numbers) {
      if (number >= completions) return { problem: `too large index: ${JSON.stringify(String(number))}` };
    }
    if (last !== undefined && last >= first)
      return { problem: `non-increasing order, previous: ${last}, current: ${first}` };
    if (ends.length === 2 && first >= to)
      return { problem: `non-increasing order, previous: ${first}, current: ${to}` };
    total += to - first + 1;
    last = to;
  }
  return { total };
}

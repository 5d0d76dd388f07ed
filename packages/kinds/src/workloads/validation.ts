import type { JsonObject } from '@tidegate/schema';
import { labelProblems } from '../objects/names.ts';
import { always, atMost100Percent, countOrPercent, notNegative, oneOf, sameValue } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import { selects } from '../rules/selectors.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

interface Workload {
  /** its name in errors */
  readonly name: string;
  readonly deadlineOf: string;
  readonly selectorRequired: boolean;
  /** the error for an invalid selector; without it there is none */
  readonly invalidSelector?: string;
}

/** Checks that the selector matches the template, and that the pods always restart. */
function workload({ name, deadlineOf, selectorRequired, invalidSelector }: Workload): Check {
  return (spec) => {
    const selector = spec.field('selector');
    if (selector.value === undefined) {
      if (selectorRequired) selector.required();
    } else if (selector.isEmpty || isEmptySelector(selector.object)) {
      selector.invalid(`empty selector is invalid for ${name}`);
    }
    const chosen = spec.field('template.metadata.labels');
    const fits = selects(selector.value as JsonObject | undefined, chosen.object as Record<string, string>);
    if (fits === undefined && invalidSelector !== undefined) selector.invalid(invalidSelector);
    if (fits === false) chosen.invalid('`selector` does not match template `labels`');
    alwaysRunning(spec, deadlineOf);
  };
}

function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: JsonObject): boolean {
  return Object.keys(matchLabels as object).length + (matchExpressions as []).length === 0;
}

function alwaysRunning(spec: Place, deadlineOf: string): void {
  const policy = spec.field('template.spec.restartPolicy');
  if (policy.text !== '' && policy.text !== 'Always') policy.unsupported(['Always']);
  const deadline = spec.field('template.spec.activeDeadlineSeconds');
  if (deadline.value !== undefined) deadline.forbidden(`activeDeadlineSeconds in ${deadlineOf} is not Supported`);
}

/** An invalid percentage counts as zero. */
function isZero(value: unknown): boolean {
  return !/^(?:\d+%|[+-]?\d+)$/.test(String(value ?? 0)) || Number.parseInt(String(value ?? 0), 10) === 0;
}

/** The rolling update is only checked for that strategy. */
const whenRolling: Check = ({ holder }) => holder?.object.type === 'RollingUpdate';

const deploymentStrategy: Check = (place) => {
  const rolling = place.field('rollingUpdate');
  const type = place.field('type').text;
  if (type === 'Recreate') {
    if (rolling.value !== undefined) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (type !== 'RollingUpdate') place.unsupported(['Recreate', 'RollingUpdate'], place.value);
};

const deploymentRolling: Check = (place) => {
  const unavailable = place.field('maxUnavailable');
  if (unavailable.value === undefined || place.object.maxSurge === undefined) return;
  if (isZero(unavailable.value) && isZero(place.object.maxSurge)) {
    unavailable.invalid('may not be 0 when `maxSurge` is 0');
  }
};

const daemonRolling: Check = (place) => {
  const surge = place.field('maxSurge');
  const unavailable = place.field('maxUnavailable');
  if (!isZero(unavailable.value) && !isZero(surge.value)) {
    surge.invalid('may not be set when maxUnavailable is non-zero');
  } else if (isZero(unavailable.value) && isZero(surge.value)) {
    unavailable.required('cannot be 0 when maxSurge is 0');
  }
};

const daemonStrategy: Check = (place) => {
  if (!UPDATES.includes(place.field('type').text)) place.unsupported(UPDATES, place.value);
};
const UPDATES = ['RollingUpdate', 'OnDelete'];

const statefulStrategy: Check = (place) => {
  const type = place.field('type').text;
  const rolling = place.field('rollingUpdate');
  if (!UPDATES.includes(type)) place.invalid("must be 'RollingUpdate' or 'OnDelete'");
  else if (type === 'OnDelete' && rolling.value !== undefined) {
    rolling.invalid("only allowed for updateStrategy 'RollingUpdate'");
  }
};

/** Checks the names of claim templates, which become names of volumes. */
const claimTemplateNames: Check = (list) => {
  const volumes = list.up(1).field('template.spec').as('volumes', list.value);
  for (const [index, claim] of list.items().entries()) {
    const name = claim.field('metadata.name').text;
    const volume = volumes.item(index);
    if (name !== '') volume.as('name', name).invalidFor(labelProblems(name));
    else {
      volume.as('name', name).required();
      volume.as('persistentVolumeClaim', null).field('claimName').required();
    }
  }
};

const podManagement: Check = (place) => {
  if (!['OrderedReady', 'Parallel'].includes(place.text)) place.invalid("must be 'OrderedReady' or 'Parallel'");
};

const progressDeadline: Check = (spec) => {
  const deadline = spec.field('progressDeadlineSeconds');
  if (deadline.value !== undefined && Number(deadline.value) <= Number(spec.object.minReadySeconds ?? 0)) {
    deadline.invalid('must be greater than minReadySeconds');
  }
};

const ready = { minReadySeconds: notNegative };
const counted = { ...ready, replicas: notNegative };
const history = { revisionHistoryLimit: notNegative };
const shares = [countOrPercent, atMost100Percent];
const replicated: Workload = {
  name: 'deployment',
  deadlineOf: 'ReplicaSet',
  selectorRequired: true,
  invalidSelector: 'invalid label selector',
};
const daemon: Workload = { name: 'daemonset', deadlineOf: 'DaemonSet', selectorRequired: false };
const stateful: Workload = {
  name: 'statefulset',
  deadlineOf: 'StatefulSet',
  selectorRequired: true,
  invalidSelector: '',
};

const replicationController: Check = (spec) => {
  const template = spec.field('template');
  const selector = spec.field('selector');
  if (selector.isEmpty) selector.required();
  if (template.value === undefined) {
    template.required();
    return;
  }
  const chosen = template.field('metadata.labels');
  if (Object.entries(selector.object).some(([key, value]) => chosen.object[key] !== value)) {
    chosen.invalid('`selector` does not match template `labels`');
  }
  alwaysRunning(spec, 'ReplicationController');
};

const mandatory = always((place) => {
  if (place.value === undefined) place.required('data is mandatory');
});

export const workloadChecks: RuleTable = {
  'apps.v1.DeploymentSpec': {
    ...counted,
    ...history,
    strategy: deploymentStrategy,
    progressDeadlineSeconds: notNegative,
    '': [workload(replicated), progressDeadline],
  },
  'apps.v1.DeploymentStrategy': { rollingUpdate: whenRolling },
  'apps.v1.RollingUpdateDeployment': { maxSurge: countOrPercent, maxUnavailable: shares, '': deploymentRolling },
  'apps.v1.ReplicaSetSpec': { ...counted, '': workload(replicated) },
  'apps.v1.DaemonSetSpec': { ...ready, ...history, updateStrategy: daemonStrategy, '': workload(daemon) },
  'apps.v1.DaemonSetUpdateStrategy': { rollingUpdate: whenRolling },
  'apps.v1.RollingUpdateDaemonSet': { maxSurge: shares, maxUnavailable: shares, '': daemonRolling },
  'apps.v1.StatefulSetSpec': {
    ...counted,
    serviceName: (place) => place.text === '' || place.invalidFor(labelProblems(place.text)),
    updateStrategy: statefulStrategy,
    podManagementPolicy: podManagement,
    volumeClaimTemplates: claimTemplateNames,
    '': workload(stateful),
  },
  'apps.v1.StatefulSetUpdateStrategy': { rollingUpdate: whenRolling },
  'apps.v1.RollingUpdateStatefulSetStrategy': { partition: notNegative },
  'apps.v1.StatefulSetOrdinals': { start: notNegative },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    whenDeleted: oneOf('Retain', 'Delete'),
    whenScaled: oneOf('Retain', 'Delete'),
  },
  'apps.v1.ControllerRevision': { data: mandatory, revision: notNegative },
  'core.v1.ReplicationControllerSpec': { ...counted, '': replicationController },
};

const MUTABLE_STATEFUL_FIELDS = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

/** The fields of a StatefulSet that an update may change. */
export function statefulSetUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  const names = new Set([...Object.keys(now.object), ...Object.keys(before.object)]);
  for (const name of names) {
    if (MUTABLE_STATEFUL_FIELDS.includes(name) || sameValue(now.object[name], before.object[name])) continue;
    const list = MUTABLE_STATEFUL_FIELDS.map((one) => `'${one}'`);
    const fields = `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
    now.forbidden(`updates to statefulset spec for fields other than ${fields} are forbidden`);
    return;
  }
}

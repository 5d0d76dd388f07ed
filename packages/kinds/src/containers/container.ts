import { securityChecks } from '../pods/security.ts';
import { requestsWithinLimits } from '../rules/amount-checks.ts';
import { always, label, oneOf, port, portName, required, uniqueBy } from '../rules/checks.ts';
import { once, type Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';
import { environmentChecks } from './environment.ts';
import { handlerChecks } from './handlers.ts';
import { devices, mountChecks, mountPaths } from './mounts.ts';
import { claimsOf, resizes, resourceChecks } from './resources.ts';

/** Fields that some types of containers may not have, with the reason. */
const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';

const onlySidecars: Check = (part) => {
  const container = part.up(1);
  if (container.up(1).step !== 'initContainers' || container.object.restartPolicy === 'Always') return true;
  part.forbidden(ONLY_SIDECARS);
  return false;
};

const notEphemeral: Check = (part) => {
  part.forbidden(NOT_EPHEMERAL);
  return false;
};

const succeedsOnce: Check = (probe) => {
  const threshold = probe.field('successThreshold');
  if (threshold.value !== undefined && threshold.value !== 1) threshold.invalid('must be 1');
};

const noGrace: Check = (probe) => {
  const grace = probe.field('terminationGracePeriodSeconds');
  if (grace.value !== undefined) grace.invalid('must not be set for readinessProbes');
};

const resources: Check = (place) => {
  requestsWithinLimits(place);
  claimsOf(place, place.up(3));
};

const RESTARTS = ['Always', 'Never', 'OnFailure'];

/** Checks the fields that the type of container allows. */
const restartRules: Check = (rules) => {
  const container = rules.up(1);
  const policy = container.object.restartPolicy;
  return container.up(1).step !== 'initContainers' || (policy !== undefined && policy !== 'Always');
};

const checkRestartPolicy: Check = (container) => {
  const policy = container.field('restartPolicy');
  const rules = container.field('restartPolicyRules');
  if (policy.value === undefined) {
    if (!rules.isEmpty) policy.required('must specify restartPolicy when restart rules are used');
  } else if (!RESTARTS.includes(policy.text)) policy.unsupported(RESTARTS, policy.text);
  if (rules.list.length > 20) rules.tooLong('must have at most 20 items');
  if (container.up(1).step === 'initContainers' && policy.text === 'Always' && !rules.isEmpty) {
    rules.forbidden('restartPolicyRules are not allowed for init containers with restart policy Always');
  }
};

const common: TypeRules = {
  name: [required(), label],
  image: required(),
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  imagePullPolicy: [required(), oneOf('Always', 'IfNotPresent', 'Never')],
  ports: uniqueBy('name'),
  volumeMounts: always(mountPaths),
  volumeDevices: devices,
  resources,
  resizePolicy: resizes,
};

const restartRule: Check = (rule) => {
  const [action, codes] = [rule.field('action'), rule.field('exitCodes')];
  if (action.text !== 'Restart') action.unsupported(['Restart'], action.text);
  if (codes.value === undefined) codes.required('must be specified');
};

const exitCodes: Check = (codes) => {
  const operator = codes.field('operator');
  if (!['In', 'NotIn'].includes(operator.text)) operator.unsupported(['In', 'NotIn'], operator.text);
  if (codes.field('values').list.length > 255) codes.field('values').tooLong('must have at most 255 items');
};

const paddedImage: Check = (container) => {
  const image = container.field('image');
  const ofPod = container.up(2).up(1).holder === undefined;
  if (ofPod && image.text.trim() !== image.text) image.invalid('must not have leading or trailing whitespace');
};

/** The containers of a pod's spec, without ephemeral containers. */
export const containerNames = once(
  (spec) =>
    new Set(
      ['containers', 'initContainers'].flatMap((list) => spec.field(list).items()).map(({ object }) => object.name),
    ),
);

const target: Check = (container) => {
  const name = container.field('targetContainerName');
  const spec = container.up(2);
  if (name.text !== '' && !containerNames(spec).has(name.text)) name.notFound();
  for (const mount of container.field('volumeMounts').items()) {
    for (const path of ['subPath', 'subPathExpr']) {
      if (!mount.field(path).isEmpty) mount.field(path).forbidden(NOT_EPHEMERAL);
    }
  }
};

export const containerChecks: RuleTable = {
  ...environmentChecks,
  ...handlerChecks,
  ...mountChecks,
  ...resourceChecks,
  ...securityChecks,
  'core.v1.Container': {
    ...common,
    lifecycle: onlySidecars,
    livenessProbe: [onlySidecars, succeedsOnce],
    readinessProbe: [onlySidecars, noGrace],
    startupProbe: [onlySidecars, succeedsOnce],
    restartPolicyRules: restartRules,
    '': [checkRestartPolicy, paddedImage],
  },
  'core.v1.EphemeralContainer': {
    ...common,
    resources: resourcesOfEphemeral,
    resizePolicy: (list) => {
      resizes(list);
      list.forbidden(NOT_EPHEMERAL);
    },
    ports: (list) => list.forbidden(NOT_EPHEMERAL),
    lifecycle: notEphemeral,
    livenessProbe: notEphemeral,
    readinessProbe: notEphemeral,
    startupProbe: notEphemeral,
    restartPolicy: notEphemeral,
    restartPolicyRules: notEphemeral,
    '': [target, paddedImage],
  },
  'core.v1.ContainerPort': {
    name: portName,
    containerPort: [required(), port],
    hostPort: (place) => {
      if (place.value !== 0) port(place);
    },
    protocol: oneOf('SCTP', 'TCP', 'UDP'),
  },
  'core.v1.ContainerRestartRule': { '': restartRule },
  'core.v1.ContainerRestartRuleOnExitCodes': { '': exitCodes },
};

function resourcesOfEphemeral(place: Place): void {
  resources(place);
  if (Object.keys(place.object).length > 0) place.forbidden(NOT_EPHEMERAL);
}

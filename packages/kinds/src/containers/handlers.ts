import { notNegative, oneOf, port, portOrName, required } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';

const COMMON = ['exec', 'httpGet', 'tcpSocket'];

/** Requires exactly one handler; the first one is checked. */
function handlers(...ways: string[]): TypeRules {
  const first = (place: Place) => ways.find((name) => place.has(name));
  const one: Check = (handler) => {
    if (first(handler.up(1)) === handler.step) return true;
    handler.forbidden('may not specify more than 1 handler type');
    return false;
  };
  const some: Check = (place) => {
    if (first(place) === undefined) place.required('must specify a handler type');
  };
  return { ...Object.fromEntries(ways.map((name) => [name, one])), '': some };
}

const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const headers: Check = (place) => {
  for (const item of place.items()) {
    const name = item.field('name').text;
    if (!/^[-A-Za-z0-9]+$/.test(name)) place.invalid(HEADER, name);
  }
};

/** The nearest list of containers above, and the container in it. */
function containerOf(place: Place): Place {
  let above = place;
  while (above.holder !== undefined && typeof above.step !== 'number') above = above.up(1);
  return above;
}

/** A sleep must not be longer than the grace period. */
const sleepDuration: Check = (place) => {
  const seconds = Number(place.object.seconds ?? 0);
  const spec = containerOf(place).up(2);
  const grace = spec.object.terminationGracePeriodSeconds;
  if (grace === undefined) return;
  const most = Number(grace) < 0 ? 1 : Number(grace);
  if (seconds < 0 || seconds > most) {
    place.invalid(`must be non-negative and less than terminationGracePeriodSeconds (${most})`, seconds);
  }
};

const gracePeriod: Check = (place) => {
  if (Number(place.value) <= 0) place.invalid('must be greater than 0');
};

export const handlerChecks: RuleTable = {
  'core.v1.Probe': {
    ...handlers(...COMMON, 'grpc'),
    initialDelaySeconds: notNegative,
    timeoutSeconds: notNegative,
    periodSeconds: notNegative,
    successThreshold: notNegative,
    failureThreshold: notNegative,
    terminationGracePeriodSeconds: gracePeriod,
  },
  'core.v1.LifecycleHandler': handlers(...COMMON, 'sleep'),
  'core.v1.ExecAction': { command: required() },
  'core.v1.HTTPGetAction': { path: required(), port: portOrName, scheme: oneOf('HTTP', 'HTTPS'), httpHeaders: headers },
  'core.v1.TCPSocketAction': { port: portOrName },
  'core.v1.GRPCAction': { port },
  'core.v1.SleepAction': { '': sleepDuration },
};

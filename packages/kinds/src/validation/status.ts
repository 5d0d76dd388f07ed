import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';

interface Counts {
  /** none of them is below zero */
  readonly natural: readonly string[];
  /** none of them is above `replicas` */
  readonly withinReplicas?: readonly string[];
  /** as the second is called where the first is above it */
  readonly ready?: string;
  /** it never goes back */
  readonly grows?: string;
}

const REPLICAS = ['replicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'];

const COUNTS: Readonly<Record<string, Counts>> = {
  'deployments.apps': {
    natural: [...REPLICAS, 'updatedReplicas', 'unavailableReplicas', 'collisionCount'],
    withinReplicas: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
    grows: 'collisionCount',
  },
  'replicasets.apps': {
    natural: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  replicationcontrollers: {
    natural: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  'statefulsets.apps': {
    natural: [...REPLICAS, 'currentReplicas', 'updatedReplicas', 'collisionCount'],
    withinReplicas: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
    grows: 'collisionCount',
  },
  'daemonsets.apps': {
    natural: [
      ...[
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
      ],
      ...['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
    ],
    grows: 'collisionCount',
  },
  'poddisruptionbudgets.policy': {
    natural: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
  },
};

/** What is wrong with the numbers that a controller reports. */
export function validateCounts(resource: string, object: JsonObject, old: JsonObject): FieldError[] {
  const counts = COUNTS[resource];
  if (counts === undefined) return [];
  const { natural, withinReplicas = [], ready, grows } = counts;
  const errors: FieldError[] = [];
  const number = (name: string, of = object) => (isJsonObject(of.status) ? Number(of.status[name] ?? 0) : 0);
  const refuse = (name: string, why: string) => errors.push(invalidValue(`status.${name}`, number(name), why));
  for (const name of natural) if (number(name) < 0) refuse(name, 'must be greater than or equal to 0');
  for (const name of withinReplicas) {
    if (number(name) > number('replicas')) refuse(name, 'cannot be greater than status.replicas');
  }
  if (ready !== undefined && number('availableReplicas') > number('readyReplicas')) {
    refuse('availableReplicas', `cannot be greater than ${ready}`);
  }
  if (grows !== undefined && number(grows) < number(grows, old)) refuse(grows, 'cannot be decremented');
  return errors;
}

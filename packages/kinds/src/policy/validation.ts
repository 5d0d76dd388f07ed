import { among, atMostAll, countOrPercent } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const budget: Check = (spec) => {
  if (spec.has('minAvailable') && spec.has('maxUnavailable')) {
    spec.invalid('minAvailable and maxUnavailable cannot be both set');
  }
};

const HIGHEST = 1_000_000_000;
const SYSTEM = new Set(['system-node-critical', 'system-cluster-critical']);

const priorityClass: Check = (object) => {
  const name = object.field('metadata.name');
  if (name.text.startsWith('system-')) {
    if (SYSTEM.has(name.text)) return;
    name.forbidden(
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name.text} is not a known system priority class`,
    );
    return;
  }
  const value = object.field('value');
  if (Number(value.value ?? 0) > HIGHEST) {
    value.forbidden(`maximum allowed value of a user defined priority is ${HIGHEST}`);
  }
};

export function fixedValue(now: Place, old: Place): void {
  if ((now.value ?? 0) !== (old.value ?? 0)) now.forbidden('may not be changed in an update.');
}

const priorityPreemption: Check = (place) => {
  if (place.text === '') place.required();
  else among('PreemptLowerPriority', 'Never')(place);
};

const shares = [countOrPercent, atMostAll];

export const policyChecks: RuleTable = {
  'policy.v1.PodDisruptionBudgetSpec': {
    minAvailable: shares,
    maxUnavailable: shares,
    unhealthyPodEvictionPolicy: among('AlwaysAllow', 'IfHealthyBudget'),
    '': budget,
  },
  'scheduling.v1.PriorityClass': { preemptionPolicy: priorityPreemption, '': priorityClass },
};

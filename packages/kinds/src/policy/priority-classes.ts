import type { Family } from '../family.ts';
import { cellAt, flagCell, numberCell } from '../rules/cells.ts';
import { requiredOneOf, unchanged } from '../rules/checks.ts';
import { ageColumn, boolean, column, integer, nameColumn } from '../rules/columns.ts';
import { defaulter, IfAbsent } from '../rules/default-rules.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';

const MAX_PRIORITY = 1_000_000_000;
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
  if (Number(value.value ?? 0) > MAX_PRIORITY) {
    value.forbidden(`maximum allowed value of a user defined priority is ${MAX_PRIORITY}`);
  }
};

function fixedValue(now: Place, old: Place): void {
  if ((now.value ?? 0) !== (old.value ?? 0)) now.forbidden('may not be changed in an update.');
}

const priorityPreemption: Check = (place) => {
  if (place.text === '') place.required();
  else requiredOneOf('PreemptLowerPriority', 'Never')(place);
};

const NAME = 'priorityclasses.scheduling.k8s.io';

export const priorityClasses: Family = {
  rules: { [NAME]: { generationPaths: [] } },
  defaults: { [NAME]: defaulter({ preemptionPolicy: new IfAbsent('PreemptLowerPriority') }) },
  columns: {
    [NAME]: [
      nameColumn,
      integer('Value', 'Pods with a higher value are scheduled first', numberCell('value')),
      boolean('Global-Default', 'Whether pods without a priority class get this one', flagCell('globalDefault')),
      ageColumn,
      column('PreemptionPolicy', 'Whether pods with lower priority are preempted', cellAt('preemptionPolicy')),
    ],
  },
  updates: { [NAME]: { value: fixedValue, preemptionPolicy: unchanged } },
  types: { 'scheduling.v1.PriorityClass': { preemptionPolicy: priorityPreemption, '': priorityClass } },
};

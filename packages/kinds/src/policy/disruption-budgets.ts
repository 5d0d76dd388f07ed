import type { Family } from '../family.ts';
import { cellAt, numberCell } from '../rules/cells.ts';
import { atMost100Percent, countOrPercent, requiredOneOf } from '../rules/checks.ts';
import { ageColumn, column, integer, nameColumn } from '../rules/columns.ts';
import type { Check } from '../rules/type-rules.ts';

const budget: Check = (spec) => {
  if (spec.has('minAvailable') && spec.has('maxUnavailable')) {
    spec.invalid('minAvailable and maxUnavailable cannot be both set');
  }
};

const shares = [countOrPercent, atMost100Percent];

export const disruptionBudgets: Family = {
  rules: {
    'poddisruptionbudgets.policy': { name: 'path-segment', generationPaths: ['spec'], conditionalUpdate: true },
  },
  columns: {
    'poddisruptionbudgets.policy': [
      nameColumn,
      column(
        'Min Available',
        'Number or percentage of pods that must stay available',
        cellAt('spec.minAvailable', 'N/A'),
      ),
      column(
        'Max Unavailable',
        'Number or percentage of pods that may be unavailable',
        cellAt('spec.maxUnavailable', 'N/A'),
      ),
      integer('Allowed Disruptions', 'Number of pods that may be evicted now', numberCell('status.disruptionsAllowed')),
      ageColumn,
    ],
  },
  statusCounts: {
    'poddisruptionbudgets.policy': {
      nonNegative: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
    },
  },
  types: {
    'policy.v1.PodDisruptionBudgetSpec': {
      minAvailable: shares,
      maxUnavailable: shares,
      unhealthyPodEvictionPolicy: requiredOneOf('AlwaysAllow', 'IfHealthyBudget'),
      '': budget,
    },
  },
};

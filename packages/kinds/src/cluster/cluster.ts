import type { JsonObject } from '@tidegate/schema';
import type { Family } from '../family.ts';
import { labelProblems } from '../objects/names.ts';
import { amounts, requestsWithinLimits } from '../rules/amount-checks.ts';
import { cellAt, listAt, textAt } from '../rules/cells.ts';
import { includingEmpty, labels, notNegative, textOf, unchanged } from '../rules/checks.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import type { Check } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';
import { candidateColumns, candidateSpec, candidates } from './lease-candidates.ts';
import { warnOfLabels } from './node-labels.ts';

const LEASE = 'leases.coordination.k8s.io';
const LEASE_CANDIDATE = 'leasecandidates.coordination.k8s.io';
const RUNTIME_CLASS = 'runtimeclasses.node.k8s.io';

const positive: Check = (place) => {
  if (Number(place.value) <= 0) place.invalid('must be greater than 0');
};

const overhead: Check = (place) => {
  const limits = { limits: place.object.podFixed ?? {} } as JsonObject;
  const reported = place.up(1).as('overhead', limits);
  amounts('containers')(reported.field('limits'));
  requestsWithinLimits(reported);
};

const differentTolerations: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    const text = textOf(one.value);
    if (seen.has(text)) one.duplicate();
    seen.add(text);
  }
};

const HEALTH: Readonly<Record<string, string>> = { True: 'Healthy', False: 'Unhealthy' };

function healthOf(component: JsonObject): JsonObject {
  return listAt(component, 'conditions').find(({ type }) => type === 'Healthy') ?? {};
}

const warnOfRuntimeClass: Warnings = (one, warn) => {
  const selector = one.field('scheduling.nodeSelector');
  warnOfLabels(selector, warn, () => selector.path);
};

/** Leases and their candidates, runtime classes, and the statuses of components. */
export const cluster: Family = {
  rules: {
    [LEASE]: { conditionalUpdate: true, createsOnUpdate: true },
    [LEASE_CANDIDATE]: candidates,
    [RUNTIME_CLASS]: { conditionalUpdate: true, createsOnUpdate: true },
    componentstatuses: { deprecated: 'v1 ComponentStatus is deprecated in v1.19+' },
  },
  dropped: { 'coordination.v1.LeaseSpec': ['preferredHolder', 'strategy'] },
  columns: {
    [LEASE]: [nameColumn, column('Holder', 'Holder of the lease', cellAt('spec.holderIdentity')), ageColumn],
    [LEASE_CANDIDATE]: candidateColumns,
    [RUNTIME_CLASS]: [nameColumn, column('Handler', 'Container runtime', cellAt('handler')), ageColumn],
    componentstatuses: [
      nameColumn,
      column('Status', 'Health of the component', (object) => HEALTH[textAt(healthOf(object), 'status')] ?? 'Unknown'),
      column('Message', 'Message of the component', (object) => textAt(healthOf(object), 'message')),
      column('Error', 'Error of the component', (object) => textAt(healthOf(object), 'error')),
    ],
  },
  updates: { [LEASE_CANDIDATE]: { 'spec.leaseName': unchanged }, [RUNTIME_CLASS]: { handler: unchanged } },
  warnings: { [RUNTIME_CLASS]: warnOfRuntimeClass },
  types: {
    'coordination.v1beta1.LeaseCandidateSpec': candidateSpec,
    'coordination.v1.LeaseSpec': { leaseDurationSeconds: positive, leaseTransitions: notNegative },
    'node.v1.RuntimeClass': { handler: includingEmpty(labelProblems) },
    'node.v1.Overhead': { '': overhead },
    'node.v1.Scheduling': { nodeSelector: labels, tolerations: differentTolerations },
  },
};

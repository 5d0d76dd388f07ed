import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

function claimState(claim: JsonObject): string {
  const deleted = valueAt(claim, 'metadata.deletionTimestamp') !== undefined;
  const allocated = valueAt(claim, 'status.allocation') !== undefined;
  const states = [
    deleted ? 'deleted' : '',
    !allocated && !deleted ? 'pending' : '',
    allocated ? 'allocated' : '',
    allocated && countAt(claim, 'status.reservedFor') > 0 ? 'reserved' : '',
  ];
  return states.filter((state) => state !== '').join(',');
}

export const columns: ByResource<readonly Column[]> = {
  'deviceclasses.resource.k8s.io': [nameColumn, ageColumn],
  'resourceclaims.resource.k8s.io': [nameColumn, column('State', 'State of the claim', claimState), ageColumn],
  'resourceclaimtemplates.resource.k8s.io': [nameColumn, ageColumn],
  'resourceslices.resource.k8s.io': [
    nameColumn,
    column('Node', 'Node with the devices', cellAt('spec.nodeName')),
    column('Driver', 'Driver of the devices', cellAt('spec.driver')),
    column('Pool', 'Pool of the devices', cellAt('spec.pool.name')),
    ageColumn,
  ],
};

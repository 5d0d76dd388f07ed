import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, listAt, NONE, numberCell } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

function limited(field: string): (level: JsonObject) => string | number {
  return (level) => (valueAt(level, `spec.limited.${field}`) ?? NONE) as string | number;
}

export const columns: ByResource<readonly Column[]> = {
  'flowschemas.flowcontrol.apiserver.k8s.io': [
    nameColumn,
    column('PriorityLevel', 'Priority level of the requests', cellAt('spec.priorityLevelConfiguration.name')),
    column(
      'MatchingPrecedence',
      'The matching schema with the lowest precedence is used',
      numberCell('spec.matchingPrecedence'),
    ),
    column('DistinguisherMethod', 'How requests are divided into flows', cellAt('spec.distinguisherMethod.type', NONE)),
    ageColumn,
    column('MissingPL', 'Whether the priority level is missing', (schema) => {
      const found = listAt(schema, 'status.conditions').find(({ type }) => type === 'Dangling');
      return found === undefined ? '?' : String(found.status);
    }),
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': [
    nameColumn,
    column('Type', 'Exempt or Limited', cellAt('spec.type')),
    column('NominalConcurrencyShares', 'Share of the concurrency', limited('nominalConcurrencyShares')),
    column('Queues', 'Number of queues', limited('limitResponse.queuing.queues')),
    column('HandSize', 'Number of queues for one flow', limited('limitResponse.queuing.handSize')),
    column('QueueLengthLimit', 'Most requests in one queue', limited('limitResponse.queuing.queueLengthLimit')),
    ageColumn,
  ],
};

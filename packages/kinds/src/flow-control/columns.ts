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
    column('PriorityLevel', 'Where such requests queue', cellAt('spec.priorityLevelConfiguration.name')),
    column('MatchingPrecedence', 'The lowest that matches is chosen', numberCell('spec.matchingPrecedence')),
    column('DistinguisherMethod', 'How requests are told apart', cellAt('spec.distinguisherMethod.type', NONE)),
    ageColumn,
    column('MissingPL', 'Whether its priority level is not there', (schema) => {
      const found = listAt(schema, 'status.conditions').find(({ type }) => type === 'Dangling');
      return found === undefined ? '?' : String(found.status);
    }),
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': [
    nameColumn,
    column('Type', 'Whether it is limited', cellAt('spec.type')),
    column('NominalConcurrencyShares', 'Its share of what is served at once', limited('nominalConcurrencyShares')),
    column('Queues', 'Number of queues', limited('limitResponse.queuing.queues')),
    column('HandSize', 'Queues that one flow may be put into', limited('limitResponse.queuing.handSize')),
    column('QueueLengthLimit', 'Requests that may wait in one', limited('limitResponse.queuing.queueLengthLimit')),
    ageColumn,
  ],
};

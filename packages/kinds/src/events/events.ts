import type { JsonObject } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { cellAt, numberAt, textAt } from '../rules/cells.ts';
import { unchanged } from '../rules/checks.ts';
import { ageOf, column, nameColumn, wide } from '../rules/columns.ts';
import { textFields, valueAt } from '../rules/fields.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { eventConversion, eventFieldNames } from './conversion.ts';
import { EVENT_FIELDS, eventChecks, eventUpdate, newEventErrors } from './validation.ts';

function firstSeen(event: JsonObject): string {
  return ageOf(textAt(event, 'firstTimestamp') || textAt(event, 'eventTime') || undefined);
}

const eventColumns: readonly Column[] = [
  column('Last Seen', 'Time since the last occurrence', (event) => {
    const last = textAt(event, 'series.lastObservedTime') || textAt(event, 'lastTimestamp');
    return last === '' ? firstSeen(event) : ageOf(last);
  }),
  column('Type', 'Normal or Warning', cellAt('type')),
  column('Reason', 'Short reason of the event', cellAt('reason')),
  column('Object', 'Object of the event', (event) => {
    const kind = textAt(event, 'involvedObject.kind').toLowerCase();
    const name = textAt(event, 'involvedObject.name');
    return name === '' ? kind : `${kind}/${name}`;
  }),
  wide('Subobject', 'Part of the object', cellAt('involvedObject.fieldPath')),
  wide('Source', 'Component that reported the event', (event) => {
    const component = textAt(event, 'source.component') || textAt(event, 'reportingComponent');
    const host = textAt(event, 'source.host') || textAt(event, 'reportingInstance');
    return host === '' ? component : `${component}, ${host}`;
  }),
  column('Message', 'Message of the event', (event) => textAt(event, 'message').trim()),
  wide('First Seen', 'Time since the first occurrence', firstSeen),
  wide('Count', 'Number of occurrences', (event) => numberAt(event, 'series.count') || numberAt(event, 'count') || 1),
  { ...nameColumn, priority: 1 },
];

const eventFields = {
  ...textFields({
    'involvedObject.kind': '',
    'involvedObject.namespace': '',
    'involvedObject.name': '',
    'involvedObject.uid': '',
    'involvedObject.apiVersion': '',
    'involvedObject.resourceVersion': '',
    'involvedObject.fieldPath': '',
    reason: '',
    reportingComponent: '',
    type: '',
  }),
  source: (event: JsonObject) => String(valueAt(event, 'source.component') || event.reportingComponent || ''),
};

const columns: ByResource<readonly Column[]> = {
  events: eventColumns,
};

const rules: ByResource<KindRules> = {
  events: {
    name: 'path-segment',
    createsOnUpdate: true,
    ownsNothing: true,
    lifetimeSeconds: 3600,
    selectableFields: eventFields,
  },
  'events.events.k8s.io': {
    name: 'path-segment',
    createsOnUpdate: true,
    lifetimeSeconds: 3600,
    validateCreate: newEventErrors,
    conversion: eventConversion,
    selectableAs: eventFieldNames,
  },
};

const updates: ByResource<UpdateChecks> = {
  'events.events.k8s.io': {
    '': eventUpdate,
    ...Object.fromEntries(EVENT_FIELDS.map((name) => [name, unchanged])),
  },
};

export const events: Family = { rules, columns, updates, types: eventChecks };

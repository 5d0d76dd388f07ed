import type { JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { labelKeyProblems } from '../objects/names.ts';
import { unchanged } from '../rules/checks.ts';
import { Place } from '../rules/place.ts';
import type { Check, RuleTable, UpdateCheck } from '../rules/type-rules.ts';

const event: Check = (object) => {
  const involved = object.field('involvedObject.namespace');
  const own = object.field('metadata.namespace').text;
  const isNew = !object.field('eventTime').isEmpty;
  if (!isNew) {
    if (involved.text !== own && !(involved.text === '' && own === 'default')) {
      involved.invalid('does not match event.namespace', involved.text);
    }
    return;
  }
  const controller = object.field('reportingComponent');
  if (controller.text === '') controller.required();
  controller.invalidFor(labelKeyProblems(controller.text), controller.text);
  for (const name of ['reportingInstance', 'action', 'reason']) {
    if (object.field(name).isEmpty) object.field(name).required();
    if (object.field(name).text.length > 128) object.field(name).invalid('can have at most 128 characters', '');
  }
  if (Buffer.byteLength(object.field('message').text) > 1024) {
    object.field('message').invalid('can have at most 1024 characters', '');
  }
};

/** Checks the series of an event. */
function checkSeries(event: Place): void {
  const series = event.field('series');
  if (series.value === undefined) return;
  if (Number(series.object.count ?? 0) < 2) series.field('count').invalid('should be at least 2', '');
  if (series.field('lastObservedTime').isEmpty) series.field('lastObservedTime').required();
}

/** Events of events.k8s.io need more fields than those of the core group, in which they are stored. */
export function newEventErrors(event: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const place = new Place(undefined, '', event, errors);
  checkSeries(place);
  if (place.field('eventTime').isEmpty) place.field('eventTime').required();
  const type = place.field('type');
  if (type.text !== 'Normal' && type.text !== 'Warning') type.invalid(`has invalid value: ${type.text}`, '');
  for (const name of ['firstTimestamp', 'lastTimestamp', 'count']) {
    if (!place.field(name).isEmpty) place.field(name).invalid('needs to be unset', '');
  }
  const source = place.field('source');
  if (['component', 'host'].some((name) => !source.field(name).isEmpty)) source.invalid('needs to be unset', '');
  return errors;
}

/** An update of an event in events.k8s.io may only change its series. */
export const EVENT_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingInstance',
];

export const eventUpdate: UpdateCheck = (event, old) => {
  unchanged(event.as('reportingController', event.object.reportingComponent), old.field('reportingComponent'));
  checkSeries(event);
};

export const eventChecks: RuleTable = {
  'core.v1.Event': { '': event },
};

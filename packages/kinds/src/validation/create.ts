import type { JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { checkDefinitionRules } from '../custom/rules/check-rules.ts';
import { Place } from './place.ts';

/** They join a pod that runs, on a path of their own. */
export function withoutEphemeralContainers(pod: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const list = new Place(undefined, '', pod, errors).field('spec.ephemeralContainers');
  if (!list.isEmpty) list.forbidden('cannot be set on create');
  return errors;
}

/** What is said of an event that was seen again. */
export function checkSeries(event: Place): void {
  const series = event.field('series');
  if (series.value === undefined) return;
  if (Number(series.object.count ?? 0) < 2) series.field('count').invalid('should be at least 2', '');
  if (series.field('lastObservedTime').isEmpty) series.field('lastObservedTime').required();
}

/** Rules are read when they are written first, and when they change. */
export function newDefinitionErrors(definition: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  checkDefinitionRules(new Place(undefined, '', definition, errors));
  return errors;
}

/** Events of events.k8s.io have to say more than those of the core group, in which they are stored. */
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

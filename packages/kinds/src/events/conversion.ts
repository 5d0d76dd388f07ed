import { type JsonObject, setOwn } from '@tidegate/schema';
import type { Conversion } from '../kind-entry.ts';

/** The same field in events.k8s.io and in the core group, where events are stored. */
const NAMES: ReadonlyArray<readonly [there: string, stored: string]> = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

const toStoredNames = new Map(NAMES);
const fromStoredNames = new Map(NAMES.map(([there, stored]) => [stored, there]));

/** An event is one object in two groups: only the names of some fields differ. */
export const eventConversion: Conversion = {
  group: '',
  version: 'v1',
  toStored: (event) => renamed(event, toStoredNames),
  fromStored: (event) => renamed(event, fromStoredNames),
};

/** The selectable fields of events.k8s.io, and their names in the core group. */
export const eventFieldNames: Readonly<Record<string, string>> = {
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
  reportingController: 'reportingComponent',
  reason: 'reason',
  type: 'type',
};

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(object)) setOwn(result, names.get(name) ?? name, value);
  return result;
}

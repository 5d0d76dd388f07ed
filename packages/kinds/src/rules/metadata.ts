import type { JsonObject } from '@tidegate/schema';
import { type FieldError, forbiddenField, invalidValue, requiredValue, tooLong } from '@tidegate/status';
import { metaOf, type ObjectMeta } from '../generic-object.ts';
import type { KindEntry } from '../kind-entry.ts';
import {
  label1035Problems,
  labelProblems,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from './names.ts';

const ANNOTATIONS_MAX_BYTES = 256 << 10;

const NAME_RULES = {
  subdomain: subdomainProblems,
  label: labelProblems,
  'label-1035': label1035Problems,
  'path-segment': pathSegmentProblems,
} as const;

/** The rules for the metadata of every object. */
export function validateMeta(entry: KindEntry, object: JsonObject): FieldError[] {
  const meta = metaOf(object);
  const errors: FieldError[] = [];
  const nameProblems = NAME_RULES[entry.name ?? 'subdomain'];
  if (!meta.name) errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  else for (const words of nameProblems(meta.name)) errors.push(invalidValue('metadata.name', meta.name, words));
  if (entry.namespaced) {
    if (!meta.namespace) errors.push(requiredValue('metadata.namespace'));
    else
      for (const words of labelProblems(meta.namespace))
        errors.push(invalidValue('metadata.namespace', meta.namespace, words));
  } else if (meta.namespace) errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  return [...errors, ...labelErrors(meta), ...annotationErrors(meta), ...finalizerErrors(meta)];
}

function labelErrors(meta: ObjectMeta): FieldError[] {
  return Object.entries(meta.labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((words) => invalidValue('metadata.labels', key, words)),
    ...labelValueProblems(value).map((words) => invalidValue('metadata.labels', value, words)),
  ]);
}

function annotationErrors(meta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(meta.annotations ?? {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const words of qualifiedNameProblems(key.toLowerCase()))
      errors.push(invalidValue('metadata.annotations', key, words));
  }
  if (bytes > ANNOTATIONS_MAX_BYTES)
    errors.push(tooLong('metadata.annotations', `may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`));
  return errors;
}

function finalizerErrors(meta: ObjectMeta): FieldError[] {
  return (meta.finalizers ?? []).flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((words) => invalidValue('metadata.finalizers', finalizer, words)),
  );
}

const IMMUTABLE = 'field is immutable';

/** What an update may not change in the metadata. */
export function validateMetaUpdate(object: JsonObject, old: JsonObject): FieldError[] {
  const meta = metaOf(object);
  const before = metaOf(old);
  const errors: FieldError[] = [];
  for (const field of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (meta[field] !== before[field]) errors.push(invalidValue(`metadata.${field}`, meta[field] ?? '', IMMUTABLE));
  }
  if (before.deletionTimestamp !== undefined) {
    const had = new Set(before.finalizers ?? []);
    const added = (meta.finalizers ?? []).filter((finalizer) => !had.has(finalizer));
    if (added.length > 0) {
      const words = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`;
      errors.push(forbiddenField('metadata.finalizers', words));
    }
  }
  return errors;
}

import { randomInt } from 'node:crypto';
import type { JsonObject } from '@tidegate/schema';
import { type FieldError, FieldErrors, forbiddenField, invalidValue, requiredValue, tooLong } from '@tidegate/status';
import type { KindEntry } from '../kind-entry.ts';
import { metaOf, type ObjectMeta } from './generic-object.ts';
import {
  addressProblems,
  configKeyProblems,
  label1035Problems,
  labelKeyProblems,
  labelProblems,
  labelValueProblems,
  pathSegmentProblems,
  subdomainProblems,
} from './names.ts';

const ANNOTATIONS_MAX_BYTES = 256 << 10;
const NOTHING = {};

const NAME_RULES = {
  subdomain: subdomainProblems,
  label: labelProblems,
  'label-1035': label1035Problems,
  'path-segment': pathSegmentProblems,
  'config-key': configKeyProblems,
  address: addressProblems,
} as const;

/** The rules for the metadata of every object. */
export function validateMeta(entry: KindEntry, object: JsonObject): FieldError[] {
  const meta = metaOf(object);
  return [
    ...nameErrors(entry, meta),
    ...namespaceErrors(entry, meta),
    ...labelErrors(meta.labels ?? NOTHING, 'metadata.labels'),
    ...annotationErrors(meta.annotations ?? NOTHING, 'metadata.annotations'),
    ...finalizerErrors(meta, entry.custom !== undefined),
    ...ownerErrors(meta),
  ];
}

function nameErrors(entry: KindEntry, { name, generateName }: ObjectMeta): FieldError[] {
  const problems = NAME_RULES[entry.name ?? 'subdomain'];
  const errors: FieldError[] = [];
  if (generateName) {
    // generateName may end with a dash, because a suffix follows
    const form = generateName.replace(/-$/, 'a');
    for (const problem of problems(form)) errors.push(invalidValue('metadata.generateName', generateName, problem));
  }
  if (!name) errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  else for (const problem of problems(name)) errors.push(invalidValue('metadata.name', name, problem));
  return errors;
}

function namespaceErrors({ namespaced }: KindEntry, { namespace }: ObjectMeta): FieldError[] {
  if (!namespaced) return namespace ? [forbiddenField('metadata.namespace', 'not allowed on this type')] : [];
  if (!namespace) return [requiredValue('metadata.namespace')];
  return labelProblems(namespace).map((problem) => invalidValue('metadata.namespace', namespace, problem));
}

export function labelErrors(labels: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of labelKeyProblems(key)) errors.add(() => invalidValue(path, key, problem));
    for (const problem of labelValueProblems(value)) errors.add(() => invalidValue(path, value, problem));
  }
  return errors.list;
}

export function annotationErrors(annotations: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors = new FieldErrors();
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const problem of labelKeyProblems(key.toLowerCase())) errors.add(() => invalidValue(path, key, problem));
  }
  if (bytes > ANNOTATIONS_MAX_BYTES)
    errors.add(() => tooLong(path, `may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`));
  return errors.list;
}

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Finalizers of custom kinds can have any name. */
function finalizerErrors({ finalizers = [] }: ObjectMeta, isCustom: boolean): FieldError[] {
  const errors = new FieldErrors();
  for (const [index, finalizer] of finalizers.entries()) {
    for (const problem of labelKeyProblems(finalizer)) {
      errors.add(() => invalidValue('metadata.finalizers', finalizer, problem));
    }
    for (const problem of isCustom ? [] : standardFinalizerProblems(finalizer)) {
      errors.add(() => invalidValue(`metadata.finalizers[${index}]`, finalizer, problem));
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const problem = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.add(() => invalidValue('metadata.finalizers', finalizers, problem));
  }
  return errors.list;
}

/** The problems of a finalizer without a domain, unless it is a standard one. */
export function standardFinalizerProblems(finalizer: string): string[] {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}

const OWNERS = 'metadata.ownerReferences';

function ownerErrors({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  const errors = new FieldErrors();
  let controller: string | undefined;
  for (const owner of ownerReferences) {
    const version = (owner.apiVersion ?? '').split('/').at(-1);
    if (!version) errors.add(() => requiredValue(`${OWNERS}.apiVersion`, 'version must not be empty'));
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (!owner[field]) errors.add(() => requiredValue(`${OWNERS}.${field}`));
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      errors.add(() => invalidValue(OWNERS, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    const first = controller;
    if (first === undefined) controller = name;
    else {
      const problem = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${name}`;
      errors.add(() => invalidValue(OWNERS, ownerReferences, problem));
    }
  }
  return errors.list;
}

const IMMUTABLE = 'field is immutable';

/** Checks an update of the metadata. */
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
      const problem = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`;
      errors.push(forbiddenField('metadata.finalizers', problem));
    }
  }
  return errors;
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const BASE_LENGTH = 58;

/** A name with a given beginning and five random characters. */
export function generatedName(base: string): string {
  let name = base.slice(0, BASE_LENGTH);
  for (let i = 0; i < 5; i++) name += ALPHABET.charAt(randomInt(ALPHABET.length));
  return name;
}

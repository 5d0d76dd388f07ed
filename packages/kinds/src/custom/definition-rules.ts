import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { label1035Problems, subdomainProblems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';
import { checkBundle, checkConversion } from './conversion-rules.ts';
import { APPROVED, isProtected } from './definition.ts';
import { checkDefinitionLimits } from './definition-limits.ts';
import { jsonPath } from './json-path.ts';
import { checkDefinitionRules } from './rules/check-rules.ts';
import { checkSchema } from './structural.ts';
import type { JsonSchema } from './values/json-schema.ts';

const STORAGE = 'must have exactly one version marked as storage version';
const PRESERVED =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

/** Checks a CustomResourceDefinition, except for rules of single fields. */
export function checkDefinition(object: Place): void {
  const spec = object.field('spec');
  const names = spec.field('names');
  const name = object.field('metadata.name');
  const group = spec.field('group');
  const before = object.errorCount;
  checkDefinitionLimits(spec);
  if (object.errorCount > before) return;
  if (name.text !== `${names.field('plural').text}.${group.text}`) {
    name.invalid('must be spec.names.plural+"."+spec.group');
  }
  if (!group.text.includes('.') && subdomainProblems(group.text).length === 0) {
    group.invalid('should be a domain with at least one dot');
  }
  checkVersions(spec, object);
  checkNames(names);
  checkConversion(spec);
  checkStored(object);
  if (isProtected(group.text)) checkApproval(object.as(`metadata.annotations[${APPROVED}]`, approvalOf(object)));
  const preserved = spec.field('preserveUnknownFields');
  if (preserved.value === true) preserved.invalid(PRESERVED);
}

function approvalOf(object: Place): string {
  const approval = object.field('metadata').field('annotations').object[APPROVED];
  return typeof approval === 'string' ? approval : '';
}

function checkApproval(place: Place): void {
  const { text } = place;
  if (text === '') {
    const where = 'see https://github.com/kubernetes/enhancements/pull/1111';
    place.required(`protected groups must have approval annotation "${APPROVED}", ${where}`);
  } else if (!text.startsWith('unapproved') && !URL.canParse(text)) {
    const start = 'protected groups must have approval annotation';
    place.invalid(`${start} "${APPROVED}" with either a URL or a reason starting with "unapproved"`);
  }
}

function checkNames(names: Place): void {
  const kind = names.field('kind').text;
  for (const [field, suffix] of [
    ['singular', ''],
    ['listKind', 'List'],
  ] as const) {
    const one = names.field(field);
    if (one.isEmpty || (kind === '' && one.text === suffix)) one.required();
  }
  if (!names.field('singular').isEmpty) checkLabel(names.field('singular'));
  for (const field of ['kind', 'listKind']) {
    const one = names.field(field);
    const problems = one.isEmpty ? [] : label1035Problems(one.text.toLowerCase());
    if (problems.length > 0) one.invalid(`may have mixed case, but should otherwise match: ${problems.join(',')}`);
  }
  for (const one of names.field('shortNames').items()) checkLabel(one);
  const list = names.field('listKind');
  if (kind !== '' && kind === list.text) list.invalid('kind and listKind may not be the same');
  for (const one of names.field('categories').items()) checkLabel(one);
}

function checkLabel(place: Place): void {
  const problems = label1035Problems(place.text);
  if (problems.length > 0) place.invalid(problems.join(','), place.text);
}

const PER_VERSION = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** Errors of a field that all versions share are reported once, for the field of the spec. */
function isShared(versions: readonly Place[], field: string): boolean {
  const [first, ...others] = versions.map(({ object }) => object[field]);
  return first !== undefined && others.every((other) => isDeepStrictEqual(other, first));
}

function checkVersions(spec: Place, object: Place): void {
  const list = spec.field('versions');
  const versions = list.items();
  // computed once: each check compares all versions
  const sharedFields = new Set(PER_VERSION.filter((field) => isShared(versions, field)));
  const shared = (field: (typeof PER_VERSION)[number]): boolean => sharedFields.has(field);
  for (const version of versions) {
    checkLabel(version.field('name'));
    checkDeprecation(version);
    if (!shared('schema')) checkVersionSchema(version.field('schema'), version);
    if (!shared('subresources')) checkScale(version.field('subresources'));
    if (!shared('additionalPrinterColumns')) checkColumns(version.field('additionalPrinterColumns'));
    if (!shared('selectableFields')) checkSelectableOf(version, shared('schema'));
  }
  const all = list.list as readonly JsonObject[];
  if (new Set(all.map(({ name }) => name)).size < all.length) list.invalid('must contain unique version names');
  if (all.filter(({ storage }) => storage === true).length !== 1) list.invalid(STORAGE);
  const [first] = versions;
  if (first === undefined) return;
  // Kubernetes reports the first version under its former field
  if (!first.field('name').isEmpty) checkLabel(object.as('spec.version', first.object.name));
  if (shared('schema')) {
    const schema = first.field('schema.openAPIV3Schema');
    if (schema.value === undefined) for (const one of versions) one.field('schema.openAPIV3Schema').required();
    else checkSchema(object.as('spec.validation.openAPIV3Schema', schema.value), hasStatus(first));
  }
  const specField = (field: string): Place => object.as(`spec.${field}`, first.object[field]);
  if (shared('subresources')) checkScale(specField('subresources'));
  if (shared('additionalPrinterColumns')) checkColumns(specField('additionalPrinterColumns'));
  if (shared('selectableFields')) checkSelectable(specField('selectableFields'), first);
}

function hasStatus(version: Place): boolean {
  return version.field('subresources').has('status');
}

function checkVersionSchema(holder: Place, version: Place): void {
  const schema = holder.field('openAPIV3Schema');
  if (schema.value === undefined) schema.required();
  else if (isJsonObject(schema.value)) checkSchema(schema, hasStatus(version));
}

function checkDeprecation(version: Place): void {
  const place = version.field('deprecationWarning');
  if (place.value === undefined) return;
  if (version.object.deprecated !== true) place.invalid('can only be set for deprecated versions');
  else if (place.text.length > 256) place.invalid('must be <= 256 characters long');
  else if (place.text === '') place.invalid('must not be an empty string');
}

/** Checks the paths of a Scale: each must be in its own part of the object. */
const SCALE_PATHS: ReadonlyArray<readonly [field: string, below: readonly string[], detail: string]> = [
  ['specReplicasPath', ['.spec.'], 'should be a json path under .spec'],
  ['statusReplicasPath', ['.status.'], 'should be a json path under .status'],
  ['labelSelectorPath', ['.status.', '.spec.'], 'should be a json path under either .spec or .status'],
];

function checkScale(subresources: Place): void {
  const scale = subresources.field('scale');
  if (scale.value === undefined) return;
  for (const [field, below, detail] of SCALE_PATHS) {
    const place = scale.field(field);
    if (place.isEmpty) {
      if (field !== 'labelSelectorPath') place.required();
    } else if (isDotted(place) && !below.some((prefix) => place.text.startsWith(prefix))) place.invalid(detail);
  }
}

function isDotted(place: Place): boolean {
  if (place.text.startsWith('.')) return true;
  place.invalid('must be a simple json path starting with .');
  return false;
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function checkColumns(columns: Place): void {
  for (const column of columns.items()) {
    if (column.field('name').isEmpty) column.field('name').required();
    const type = column.field('type');
    const detail = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (type.isEmpty) type.required(detail);
    else if (!COLUMN_TYPES.includes(type.text)) type.invalid(detail);
    const format = column.field('format');
    if (!format.isEmpty && !COLUMN_FORMATS.includes(format.text)) {
      format.invalid(`must be one of ${COLUMN_FORMATS.join(',')}`);
    }
    const path = column.as('JSONPath', column.object.jsonPath);
    if (path.isEmpty) path.required();
    else if (isDotted(path) && jsonPath(path.text) === undefined) path.invalid('is an invalid path');
  }
}

function checkSelectableOf(version: Place, isSchemaShared: boolean): void {
  const fields = version.field('selectableFields');
  if (fields.isEmpty) return;
  if (!isSchemaShared && version.field('schema').has('openAPIV3Schema')) checkSelectable(fields, version);
  else fields.invalid('may only be set when `version.schema.openAPIV3Schema` is not included', '');
}

const SELECTABLE = ['string', 'boolean', 'integer'];

function checkSelectable(fields: Place, version: Place): void {
  const seen = new Set<string>();
  for (const field of fields.items()) {
    const path = field.field('jsonPath');
    if (path.isEmpty) path.required();
    else if (path.text.startsWith('.metadata.')) path.invalid('must not point to fields in metadata');
    else if (!/^[.[]/.test(path.text)) {
      path.invalid(`is an invalid path: expected [ or . but got: ${/^[^.[]+/.exec(path.text)?.[0]}`);
    } else if (seen.has(path.text)) path.duplicate();
    else {
      const found = schemaAt(version.field('schema.openAPIV3Schema').object, path.text);
      if (found === undefined) path.invalid('is an invalid path: does not refer to a valid field');
      else if (!SELECTABLE.includes(found.type ?? '')) {
        path.invalid(
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        );
      }
    }
    seen.add(path.text);
  }
}

function schemaAt(schema: JsonObject, path: string): JsonSchema | undefined {
  let found: JsonSchema | undefined = schema;
  for (const step of path.split('.').slice(1)) found = found?.properties?.[step];
  return path.startsWith('.') ? found : undefined;
}

function checkStored(object: Place): void {
  const known = object.field('status.storedVersions');
  if (known.isEmpty) {
    known.invalid('must have at least one stored version', null);
    return;
  }
  const versions = object.field('spec.versions').list as readonly JsonObject[];
  for (const { name, storage } of versions) {
    if (storage === true && !known.list.includes(name ?? '')) {
      known.invalid(`must have the storage version ${String(name)}`);
    }
  }
  const names = new Set(versions.map(({ name }) => name));
  for (const place of known.items()) {
    if (names.has(place.text)) continue;
    const { text } = place;
    place.invalid(
      `missing from spec.versions; ${text} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${text} and removes ${text} from status.storedVersions`,
    );
  }
}

/** Checks the update of a definition: its objects are stored under its names. */
export function checkDefinitionUpdate(now: Place, before: Place): void {
  const conditions = before.field('status.conditions').list as readonly JsonObject[];
  const isEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (isEstablished) checkBundle(now, before);
  const immutable = [...(isEstablished ? ['spec.scope', 'spec.names.kind'] : []), 'spec.group', 'spec.names.plural'];
  for (const path of immutable) {
    const place = now.field(path);
    if (!isDeepStrictEqual(place.value, before.field(path).value)) place.invalid('field is immutable');
  }
  checkDefinitionRules(now, before);
}

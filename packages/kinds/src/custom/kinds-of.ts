import { isDeepStrictEqual } from 'node:util';
import { clean, type JsonObject, type Schema } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';
import type { Conversion, Converter, Kind, KindEntry, KindRules, Subresource } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { standardFinalizerProblems } from '../objects/metadata.ts';
import { labelKeyProblems } from '../objects/names.ts';
import { kindOf, kindStoredAs } from '../registry.ts';
import { type Warnings, warner } from '../rules/warnings.ts';
import { columnsOf } from './columns.ts';
import { compareVersions, type DefinedVersion, type Definition, hasCondition } from './definition.ts';
import { jsonPath } from './json-path.ts';
import { hasRules } from './rules/check-rules.ts';
import { ExpressionRules } from './rules/expression-rules.ts';
import type { JsonSchema } from './values/json-schema.ts';
import { listItemRules } from './values/list-items.ts';
import { objectSchemaOf } from './values/schema-of.ts';
import { ValueRules } from './values/value-rules.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS = ['get', 'patch', 'update'];

type ObjectSchema = Schema & { type: 'object' };

/**
 * Makes the kinds of a definition, one for each served version.
 *
 * Stored bytes are returned unchanged only when the schema cannot have changed: in the stored version of a definition
 * whose spec has never changed. Otherwise an object is pruned and gets its defaults when it is read.
 */
export function kindsOf(definition: Definition, scale: KindEntry): Kind[] {
  const storage = definition.versions.find((version) => version.storage);
  if (storage === undefined || !hasCondition(definition, 'Established')) return [];
  if (hasConverter(definition)) return convertedKinds(definition, storage, scale);
  // computed once, because they depend on all versions
  const options = { scale, selectableFields: selectable(definition.versions), best: bestVersion(definition) };
  const own = entryOf(definition, storage, options);
  const stored = kindOf(own);
  const served = definition.versions.filter((version) => version.served);
  return served
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => {
      if (version === storage && definition.generation === 1) return stored;
      const entry = version === storage ? own : entryOf(definition, version, options);
      return kindStoredAs(withConversion(entry, stored), stored);
    });
}

/** Whether a webhook converts objects. A single version needs no conversion. */
function hasConverter({ conversion, versions }: Definition): boolean {
  return conversion === 'Webhook' && versions.length > 1;
}

/**
 * The kinds of a definition with a conversion webhook: each version is a kind of its own, and objects are converted
 * where they are read from the store and written to it.
 */
function convertedKinds(definition: Definition, storage: DefinedVersion, scale: KindEntry): Kind[] {
  const versions = new Map<string, Kind>();
  const kindIn = ({ name }: DefinedVersion): Kind => versions.get(`${definition.group}/${name}`) as Kind;
  const { clientConfig = {}, conversionReviewVersions = [] } = definition.webhook ?? {};
  const converter: Converter = {
    clientConfig,
    review: conversionReviewVersions.find((version) => version === 'v1' || version === 'v1beta1') ?? 'v1',
    versions,
    get stored() {
      return kindIn(storage);
    },
  };
  const best = bestVersion(definition);
  for (const version of definition.versions) {
    const kind = kindOf(
      entryOf(definition, version, { scale, converter, selectableFields: selectable([version]), best }),
    );
    versions.set(kind.apiVersion, kind);
  }
  const served = definition.versions.filter((version) => version.served);
  return served.toSorted((a, b) => compareVersions(a.name, b.name)).map(kindIn);
}

function withConversion(entry: KindEntry, stored: Kind): KindEntry {
  const same = entry.version === stored.entry.version;
  const conversion: Conversion = {
    group: stored.entry.group,
    version: stored.entry.version,
    // fields that the stored version lacks are lost, also when another version is stored later
    toStored: (object) => clean(stored.entry.schema, object, entry.kind).value,
    fromStored: (object) => {
      const pruned = clean(stored.entry.schema, object, entry.kind).value;
      return same ? pruned : clean(entry.schema, pruned, entry.kind).value;
    },
  };
  return Object.defineProperties({} as KindEntry, {
    ...Object.getOwnPropertyDescriptors(entry),
    conversion: { value: conversion, enumerable: true },
  });
}

interface EntryOptions {
  /** the entry of Scale */
  readonly scale: KindEntry;
  readonly converter?: Converter;
  /** the selectable fields */
  readonly selectableFields: Pick<KindRules, 'selectableFields'>;
  /** the version that the deprecation warning recommends, if any */
  readonly best: DefinedVersion | undefined;
}

function entryOf(definition: Definition, version: DefinedVersion, options: EntryOptions): KindEntry {
  const { scale, converter } = options;
  const { group, namespaced, acceptedNames: names } = definition;
  const { subresources = {} } = version;
  const place = { group, version: version.name, kind: names.kind };
  let schema: ObjectSchema | undefined;
  return {
    ...place,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    subresources: {
      ...(subresources.status === undefined ? {} : { status: { verbs: PART_VERBS } }),
      ...(subresources.scale === undefined ? {} : { scale: scaleOf(definition, scale) }),
    },
    ...rulesOf(definition, version, options.best),
    ...options.selectableFields,
    custom: {
      definition: definition.name,
      listKind: names.listKind ?? `${names.kind}List`,
      generation: definition.generation,
      deleting: definition.deleting,
      ...(converter === undefined ? {} : { converter }),
      ...(subresources.scale === undefined ? {} : { scale: subresources.scale }),
      selectable: (version.selectableFields ?? []).map(({ jsonPath: path }) => path.replace(/^\./, '')),
    },
    get schema(): ObjectSchema {
      const reference = `${group.split('.').reverse().join('.')}.${version.name}.${names.kind}`;
      const made = schema ?? objectSchemaOf(version.schema?.openAPIV3Schema ?? {}, { name: names.kind, reference });
      schema = made;
      return made;
    },
  };
}

function scaleOf({ acceptedNames: names, namespaced }: Definition, scale: KindEntry): Subresource {
  const entry = Object.defineProperties({} as KindEntry, {
    ...Object.getOwnPropertyDescriptors(scale),
    resource: { value: names.plural, enumerable: true },
    singular: { value: names.singular ?? '', enumerable: true },
    namespaced: { value: namespaced, enumerable: true },
  });
  return { verbs: PART_VERBS, entry };
}

/** The newest served version that is not deprecated. */
function bestVersion({ versions }: Definition): DefinedVersion | undefined {
  const usable = versions.filter(({ served, deprecated }) => served && !deprecated);
  return usable.toSorted((a, b) => compareVersions(a.name, b.name))[0];
}

function deprecation({ group, names }: Definition, version: string, best: DefinedVersion | undefined): string {
  const isBetter = best !== undefined && compareVersions(best.name, version) < 0;
  const instead = isBetter ? `; use ${group}/${best.name} ${names.kind}` : '';
  return `${group}/${version} ${names.kind} is deprecated${instead}`;
}

function rulesOf(definition: Definition, version: DefinedVersion, best: DefinedVersion | undefined): KindRules {
  const hasStatus = version.subresources?.status !== undefined;
  const columns = columnsOf(version.additionalPrinterColumns);
  return {
    conditionalUpdate: true,
    ...(columns === undefined ? {} : { columns }),
    prepareCreate: (object) => {
      metaOf(object).generation = 1;
    },
    prepareUpdate: (object, old, subresource) => {
      if (subresource === 'status') keepMeta(object, old);
      else if (!isDeepStrictEqual(generationContent(object, hasStatus), generationContent(old, hasStatus))) {
        metaOf(object).generation = (metaOf(old).generation ?? 0) + 1;
      }
    },
    validateWritten: checksOfWrite(definition, version, hasStatus),
    warn: warnOfCustom,
    ...(version.deprecated
      ? { deprecated: version.deprecationWarning ?? deprecation(definition, version.name, best) }
      : {}),
  };
}

/** The checks of a write in this version. */
function checksOfWrite(
  { group }: Definition,
  version: DefinedVersion,
  hasStatus: boolean,
): NonNullable<KindRules['validateWritten']> {
  const schema = version.schema?.openAPIV3Schema ?? {};
  let all: ValueRules | undefined;
  let status: ValueRules | undefined;
  let lists: ReturnType<typeof listItemRules> | null | undefined = null;
  const checkExpressions = expressions(schema, `${group}/${version.name}`);
  return (object, old, subresource): FieldError[] => {
    all ??= new ValueRules(schema);
    status ??= all.below('status');
    if (lists === null) lists = listItemRules(schema);
    const rules = hasStatus && subresource === 'status' ? status : all;
    const errors = rules.errors(object, old);
    // a list that was invalid before does not block later writes
    const duplicates = lists?.(object) ?? [];
    const isNew = duplicates.length > 0 && (old === undefined || lists?.(old).length === 0);
    const found = isNew ? [...errors, ...duplicates] : errors;
    return checkExpressions === undefined ? found : [...found, ...checkExpressions(found, object, old)];
  };
}

type ExpressionCheck = (
  found: readonly FieldError[],
  object: JsonObject,
  old: JsonObject | undefined,
) => readonly FieldError[];

/** Errors after which expressions cannot be evaluated. */
const BLOCKING = new Set<FieldError['type']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Compiles the rules in CEL when the first object is written; undefined without rules. */
function expressions(schema: JsonSchema, apiVersion: string): ExpressionCheck | undefined {
  if (!hasRules(schema)) return undefined;
  let rules: ExpressionRules | undefined;
  return (found, object, old) => {
    if (found.some(({ type }) => BLOCKING.has(type))) return [invalidValue('<nil>', null, UNCHECKED)];
    rules ??= new ExpressionRules(schema);
    return rules.errors({ ...object, apiVersion }, old === undefined ? undefined : { ...old, apiVersion });
  };
}

/** /status changes the status only. */
function keepMeta(object: JsonObject, old: JsonObject): void {
  const { managedFields, resourceVersion } = metaOf(object);
  const meta: Record<string, unknown> = { ...metaOf(old) };
  delete meta.managedFields;
  object.metadata = {
    ...meta,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  } as JsonObject;
}

function generationContent(object: JsonObject, hasStatus: boolean): JsonObject {
  const { metadata, apiVersion, kind, status, ...rest } = object;
  return hasStatus || status === undefined ? rest : { ...rest, status };
}

/**
 * The selectable fields. Without conversion they are those of all versions, because an object can be written in any
 * of them.
 */
function selectable(versions: readonly DefinedVersion[]): Pick<KindRules, 'selectableFields'> {
  const paths = new Set(
    versions.flatMap(({ selectableFields = [] }) => selectableFields.map((field) => field.jsonPath)),
  );
  if (paths.size === 0) return {};
  const fields = [...paths].map((path) => {
    const find = jsonPath(path);
    const read = (object: JsonObject): string => {
      const [value] = find?.(object) ?? [];
      return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
    };
    return [path.replace(/^\./, ''), read] as const;
  });
  return { selectableFields: Object.fromEntries(fields) };
}

/** Finalizers of custom kinds can have any name; names without a domain cause a warning. */
const warnOfFinalizers: Warnings = ({ object: { metadata } }, warn, old) => {
  const before = new Set(finalizersOf(old?.metadata));
  for (const finalizer of finalizersOf(metadata)) {
    if (before.has(finalizer)) continue;
    const start = `metadata.finalizers: ${JSON.stringify(finalizer)}: `;
    for (const problem of labelKeyProblems(finalizer)) warn(start + problem);
    if (standardFinalizerProblems(finalizer).length === 0) continue;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    warn(
      `${start}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
};

function finalizersOf(metadata: unknown): string[] {
  return (metadata as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}

const warnOfCustom = warner(warnOfFinalizers);

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
 * The kinds that a definition makes, one for each version that is served.
 *
 * Bytes are handed on as they are stored only where nothing can have changed since: in the stored version of a definition
 * whose spec has never been another one. Otherwise an object is pruned and given its defaults when it is read.
 */
export function kindsOf(definition: Definition, scale: KindEntry): Kind[] {
  const storage = definition.versions.find((version) => version.storage);
  if (storage === undefined || !hasCondition(definition, 'Established')) return [];
  if (hasConverter(definition)) return convertedKinds(definition, storage, scale);
  // once for all versions: they refer to each other
  const around = { scale, alike: selectable(definition.versions), best: bestVersion(definition) };
  const own = entryOf(definition, storage, around);
  const stored = kindOf(own);
  const served = definition.versions.filter((version) => version.served);
  return served
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => {
      if (version === storage && definition.generation === 1) return stored;
      const entry = version === storage ? own : entryOf(definition, version, around);
      return kindStoredAs(withConversion(entry, stored), stored);
    });
}

/** There is nothing to convert between a version and itself. */
function hasConverter({ conversion, versions }: Definition): boolean {
  return conversion === 'Webhook' && versions.length > 1;
}

/** Each version stands for itself: what is stored becomes what a version shows where it is read. */
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
    const kind = kindOf(entryOf(definition, version, { scale, converter, alike: selectable([version]), best }));
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
    // what the stored version does not have is not kept, and does not come back when another one is stored
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

interface Around {
  /** of built-in kinds, whose form all have */
  readonly scale: KindEntry;
  readonly converter?: Converter;
  /** what objects are selected by */
  readonly alike: Pick<KindRules, 'selectableFields'>;
  /** to which clients of a deprecated version are sent, where there is one */
  readonly best: DefinedVersion | undefined;
}

function entryOf(definition: Definition, version: DefinedVersion, around: Around): KindEntry {
  const { scale, converter } = around;
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
    ...rulesOf(definition, version, around.best),
    ...around.alike,
    custom: {
      definition: definition.name,
      listKind: names.listKind ?? `${names.kind}List`,
      generation: definition.generation,
      closing: definition.deleting,
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

/** The newest version that is served and not deprecated. */
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
      else if (!isDeepStrictEqual(counted(object, hasStatus), counted(old, hasStatus))) {
        metaOf(object).generation = (metaOf(old).generation ?? 0) + 1;
      }
    },
    validateWritten: written(definition, version, hasStatus),
    warn: warnOfCustom,
    ...(version.deprecated
      ? { deprecated: version.deprecationWarning ?? deprecation(definition, version.name, best) }
      : {}),
  };
}

/** What a write in this version must keep to. */
function written(
  { group }: Definition,
  version: DefinedVersion,
  hasStatus: boolean,
): NonNullable<KindRules['validateWritten']> {
  const schema = version.schema?.openAPIV3Schema ?? {};
  let all: ValueRules | undefined;
  let status: ValueRules | undefined;
  let lists: ReturnType<typeof listItemRules> | null | undefined = null;
  const judge = expressions(schema, `${group}/${version.name}`);
  return (object, old, subresource): FieldError[] => {
    all ??= new ValueRules(schema);
    status ??= all.below('status');
    if (lists === null) lists = listItemRules(schema);
    const rules = hasStatus && subresource === 'status' ? status : all;
    const errors = rules.errors(object, old);
    // lists that were wrong before hold up nobody
    const twice = lists?.(object) ?? [];
    const isNew = twice.length > 0 && (old === undefined || lists?.(old).length === 0);
    const found = isNew ? [...errors, ...twice] : errors;
    return judge === undefined ? found : [...found, ...judge(found, object, old)];
  };
}

type Judge = (found: readonly FieldError[], object: JsonObject, old: JsonObject | undefined) => readonly FieldError[];

/** With these no expression could be sure of what it finds. */
const BLOCKING = new Set<FieldError['type']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The rules in expressions, made ready when the first object is written. undefined: there are none. */
function expressions(schema: JsonSchema, apiVersion: string): Judge | undefined {
  if (!hasRules(schema)) return undefined;
  let rules: ExpressionRules | undefined;
  return (found, object, old) => {
    if (found.some(({ type }) => BLOCKING.has(type))) return [invalidValue('<nil>', null, UNCHECKED)];
    rules ??= new ExpressionRules(schema);
    return rules.errors({ ...object, apiVersion }, old === undefined ? undefined : { ...old, apiVersion });
  };
}

/** Its status alone is changed there. */
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

function counted(object: JsonObject, hasStatus: boolean): JsonObject {
  const { metadata, apiVersion, kind, status, ...rest } = object;
  return hasStatus || status === undefined ? rest : { ...rest, status };
}

/** Where nothing converts them, fields of all versions: an object is selected by them in whichever it was written. */
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

/** Finalizers of custom kinds are called as their makers like; they hear of names that others could take, too. */
const warnOfFinalizers: Warnings = ({ object: { metadata } }, tell, old) => {
  const before = new Set(finalizersOf(old?.metadata));
  for (const finalizer of finalizersOf(metadata)) {
    if (before.has(finalizer)) continue;
    const start = `metadata.finalizers: ${JSON.stringify(finalizer)}: `;
    for (const problem of labelKeyProblems(finalizer)) tell(start + problem);
    if (standardFinalizerProblems(finalizer).length === 0) continue;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    tell(
      `${start}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
};

function finalizersOf(metadata: unknown): string[] {
  return (metadata as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}

const warnOfCustom = warner(warnOfFinalizers);

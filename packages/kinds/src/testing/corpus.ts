import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clean, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type FieldError, invalid } from '@tidegate/status';
import {
  fromStored,
  type Kind,
  metaOf,
  prepareCreate,
  prepareUpdate,
  setDefaults,
  toStored,
  validateMeta,
  validateMetaUpdate,
} from '../index.ts';
import { kindAt } from './recorded.ts';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** A manifest with the response of kube-apiserver 1.35 to its creation, or to the update after it. */
export interface CorpusCase {
  readonly title: string;
  readonly valid: boolean;
  readonly manifest: JsonObject;
  readonly then?: JsonObject;
  readonly answer: { code: number; reason?: string; message?: string; causes?: readonly Cause[]; object?: JsonObject };
}

export interface CorpusFile {
  readonly name: string;
  readonly kind: Kind;
  readonly cases: readonly CorpusCase[];
}

export function readCorpus(): CorpusFile[] {
  const folder = fileURLToPath(new URL('../../corpus', import.meta.url));
  return globSync('*/*.json', { cwd: folder })
    .sort()
    .map((name) => {
      const { path, cases } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
      return { name: name.replace('.json', ''), kind: kindAt(path), cases };
    });
}

export interface CaseResult {
  readonly code: number;
  readonly message?: string;
  readonly causes: readonly Cause[];
  readonly object?: JsonObject;
}

const AUTHOR = { name: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };

/** The result of this project for a case, by the functions that the gateway calls. */
export function evaluateCase(kind: Kind, { manifest, then }: CorpusCase): CaseResult {
  const made = create(kind, manifest);
  return then === undefined || made.object === undefined ? made : update(kind, made.object, then);
}

export function create(kind: Kind, manifest: JsonObject): CaseResult {
  const admitted = admit(kind, manifest);
  if ('code' in admitted) return admitted;
  const { object } = admitted;
  const meta = metaOf(object);
  if (!meta.name && meta.generateName) meta.name = `${meta.generateName}bcdfg`;
  meta.uid = 'a-uid';
  prepareCreate(kind.stored, object, AUTHOR);
  const { entry } = kind.stored;
  return resultOf(kind, object, [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(kind.entry.validateCreate?.(object) ?? []),
    ...(kind.entry.validateWritten?.(object, undefined, '') ?? []),
  ]);
}

function update(kind: Kind, old: JsonObject, then: JsonObject): CaseResult {
  return replace(kind, old, merge(fromStored(kind, structuredClone(old)), then) as JsonObject);
}

/** A PUT of the object, or of a subresource. */
export function replace(kind: Kind, old: JsonObject, manifest: JsonObject, part = ''): CaseResult {
  const admitted = admit(kind, manifest);
  if ('code' in admitted) return admitted;
  const { object } = admitted;
  prepareUpdate(kind.stored, object, old, part);
  const { entry } = kind.stored;
  const errors = [
    ...validateMetaUpdate(object, old),
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(entry.validateUpdate?.(object, old, part) ?? []),
    ...(kind.entry.validateWritten?.(object, old, part) ?? []),
    ...(kind === kind.stored ? [] : (kind.entry.validateUpdate?.(object, old, part) ?? [])),
  ];
  return resultOf(kind, object, errors);
}

function admit(kind: Kind, manifest: JsonObject): CaseResult | { object: JsonObject } {
  const { value, problems } = clean(kind.schema, manifest, kind.entry.kind);
  const [first] = problems;
  if (first !== undefined) {
    const causes = problems.map(({ field, message }) => ({ field, reason: 'FieldValueTypeInvalid', message }));
    return { code: 400, message: first.message, causes };
  }
  if (kind.entry.namespaced) metaOf(value).namespace = 'corpus';
  setDefaults(kind, value);
  const object = toStored(kind, value);
  if (object !== value) setDefaults(kind.stored, object);
  return { object };
}

function resultOf({ entry }: Kind, object: JsonObject, errors: FieldError[]): CaseResult {
  if (errors.length === 0) return { code: 200, causes: [], object };
  const { status } = invalid({ group: entry.group, kind: entry.kind, name: 'x' }, errors);
  return { code: status.code ?? 0, causes: (status.details?.causes ?? []) as Cause[] };
}

/** RFC 7386. */
function merge(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return structuredClone(patch);
  const merged: JsonObject = isJsonObject(target) ? structuredClone(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

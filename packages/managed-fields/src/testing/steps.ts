import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { applyConfiguration } from '../apply.ts';
import { EMPTY } from '../field-set.ts';
import { fromFieldsV1, toFieldsV1 } from '../fields-v1.ts';
import { ownUpdate } from '../own-update.ts';
import { type Owner, type Owners, ownerId } from '../owners.ts';
import type { Version, Versions } from '../versions.ts';
import { type PublishedSchema, schemaOf } from './published-schema.ts';

export interface Managed {
  fields: Json;
  version: string;
  applied: boolean;
}

/** One step of a published case of sigs.k8s.io/structured-merge-diff, with the result of that implementation. */
export interface Step {
  op: 'update' | 'apply';
  schema: string;
  type: string;
  version: string;
  manager: string;
  force?: boolean;
  live: JsonObject | null;
  object: JsonObject;
  managers: Record<string, Managed>;
  ignored?: Json;
  result?: JsonObject;
  resultManagers?: Record<string, Managed>;
  error?: string;
  conflicts?: string[];
  /** field names end with their version */
  renames?: boolean;
  /** versions that are not in the result are not served */
  only?: boolean;
}

function versionsOf(schema: PublishedSchema, step: Step): Versions {
  const reset = step.ignored === undefined ? EMPTY : fromFieldsV1(step.ignored);
  const version = (apiVersion: string): Version => ({
    apiVersion,
    schema: schemaOf(schema, step.renames ? apiVersion : step.type),
    reset,
  });
  const served = new Set([step.version, ...Object.values(step.resultManagers ?? {}).map((managed) => managed.version)]);
  return {
    own: version(step.version),
    find: (apiVersion) => (step.only && !served.has(apiVersion) ? undefined : version(apiVersion)),
    convert: (object, from, to) =>
      step.renames ? (renamed(object, from.apiVersion, to.apiVersion) as JsonObject) : object,
  };
}

function renamed(value: Json, from: string, to: string): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, from, to));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.endsWith(from) ? key.slice(0, -from.length) + to : key,
      renamed(item, from, to),
    ]),
  );
}

function ownersOf(managers: Record<string, Managed>): Owners {
  const owners = Object.entries(managers).map(
    ([manager, { fields, version, applied }]): Owner => ({
      manager,
      operation: applied ? 'Apply' : 'Update',
      apiVersion: version,
      subresource: '',
      time: undefined,
      fields: fromFieldsV1(fields),
    }),
  );
  return new Map(owners.map((owner) => [ownerId(owner), owner]));
}

/** Owners in the form of a step. */
export function plain(owners: Owners): Record<string, Managed> {
  return Object.fromEntries(
    [...owners.values()].map(({ manager, operation, apiVersion, fields }) => [
      manager,
      { applied: operation === 'Apply', fields: toFieldsV1(fields), version: apiVersion },
    ]),
  );
}

/** Runs a step with this package. */
export function run(schema: PublishedSchema, step: Step): { object: JsonObject; owners: Owners } {
  const versions = versionsOf(schema, step);
  const common = { versions, owners: ownersOf(step.managers), author: { manager: step.manager, subresource: '' } };
  const live = step.live ?? {};
  if (step.op === 'update') {
    const owners = ownUpdate({ ...common, old: live, next: step.object, time: '2026-01-01T00:00:00Z' });
    return { object: step.object, owners };
  }
  const time = '2026-01-01T00:00:00Z';
  return applyConfiguration({ ...common, live, applied: step.object, time, force: step.force ?? false });
}

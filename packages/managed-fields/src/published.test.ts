import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { applyConfiguration } from './apply.ts';
import { ConflictingOwners } from './conflicts.ts';
import { EMPTY } from './field-set.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';
import { ownUpdate } from './own-update.ts';
import { type Owner, type Owners, ownerId } from './owners.ts';
import { printPath } from './path-element.ts';
import { type PublishedSchema, schemaOf } from './testing/published-schema.ts';
import type { Version, Versions } from './versions.ts';

interface Managed {
  fields: Json;
  version: string;
  applied: boolean;
}

/** One step of a case that sigs.k8s.io/structured-merge-diff publishes, and what its own code makes of it. */
interface Step {
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
  /** names of fields end with their version */
  renames?: boolean;
  /** versions that are not in the result are not served */
  only?: boolean;
}

const { schemas, steps } = JSON.parse(readFileSync(new URL('testing/published.json', import.meta.url), 'utf8')) as {
  schemas: Record<string, PublishedSchema>;
  steps: Step[];
};

function versionsOf(step: Step): Versions {
  const schema = schemas[step.schema] as PublishedSchema;
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

function plain(owners: Owners): Record<string, Managed> {
  return Object.fromEntries(
    [...owners.values()].map(({ manager, operation, apiVersion, fields }) => [
      manager,
      { applied: operation === 'Apply', fields: toFieldsV1(fields), version: apiVersion },
    ]),
  );
}

function run(step: Step): { object: JsonObject; owners: Owners } {
  const versions = versionsOf(step);
  const common = { versions, owners: ownersOf(step.managers), author: { manager: step.manager, subresource: '' } };
  const live = step.live ?? {};
  if (step.op === 'update') {
    const owners = ownUpdate({ ...common, old: live, next: step.object, time: '2026-01-01T00:00:00Z' });
    return { object: step.object, owners };
  }
  const time = '2026-01-01T00:00:00Z';
  return applyConfiguration({ ...common, live, applied: step.object, time, force: step.force ?? false });
}

/** With one name for what applies and what updates, or what updates in two versions, they are one there and two here. */
function isNamedTwice({ managers, manager, op, version }: Step): boolean {
  const before = managers[manager];
  return (
    before !== undefined && (before.applied !== (op === 'apply') || (op === 'update' && before.version !== version))
  );
}

describe('The published cases', () => {
  const comparable = steps.filter((step) => !isNamedTwice(step));

  test('are there', () => {
    assert.ok(comparable.length > 300, String(comparable.length));
    assert.ok(comparable.filter(({ conflicts }) => conflicts !== undefined).length > 10);
  });

  for (const [i, step] of comparable.entries()) {
    const what = `${step.op} ${JSON.stringify(step.object)} to ${JSON.stringify(step.live)}`;
    test(`step ${i}: ${what.length > 100 ? `${what.slice(0, 100)}…` : what}`, () => {
      if (step.error !== undefined) {
        assert.throws(
          () => run(step),
          (error) =>
            error instanceof ConflictingOwners &&
            assert.deepEqual(
              error.conflicts.map(({ owner, path }) => `${owner.manager} ${printPath(path)}`).sort(),
              step.conflicts,
            ) === undefined,
        );
        return;
      }
      const { object, owners } = run(step);
      assert.deepEqual(object, step.result ?? {});
      assert.deepEqual(plain(owners), step.resultManagers);
      for (const [manager, { fields }] of Object.entries(plain(owners))) {
        assert.equal(JSON.stringify(fields), JSON.stringify(step.resultManagers?.[manager]?.fields), 'byte for byte');
      }
    });
  }
});

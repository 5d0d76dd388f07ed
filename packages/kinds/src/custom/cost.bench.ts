import assert from 'node:assert/strict';
import { clean, type JsonObject, openApiSchema } from '@tidegate/schema';
import { metaOf, validateMeta } from '../index.ts';
import type { Kind } from '../kind-entry.ts';
import { prepareCreate, setDefaults } from '../objects/server-fields.ts';
import { kindAt } from '../testing/recorded.ts';
import { typicalDeployment } from '../testing/typical.ts';
import { readDefinition } from './definition.ts';
import { kindsOf } from './kinds-of.ts';

/**
 * Prints the time of accepting an object of a custom kind, compared with the same object as a Deployment, in
 * microseconds, the best of several rounds. The goal was 1.3 times as much.
 */
const deployment = kindAt('/apis/apps/v1/namespaces/x/deployments');

/** The same structure as the schema of a definition. */
function structural(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.oneOf)) return { 'x-kubernetes-int-or-string': true };
  const { properties, items, additionalProperties, allOf, ...rest } = schema;
  const all = (fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, structural(one as JsonObject)]));
  const copy: JsonObject = { ...rest };
  if (properties !== undefined) copy.properties = all(properties as JsonObject);
  if (items !== undefined) copy.items = structural(items as JsonObject);
  if (additionalProperties !== undefined) copy.additionalProperties = structural(additionalProperties as JsonObject);
  return copy;
}

function customKind(): Kind {
  const spec = deployment.schema.fields.spec;
  const scale = deployment.entry.subresources.scale?.entry;
  if (spec === undefined || scale === undefined) throw new Error('Deployments must have a spec and a scale');
  const names = { plural: 'rollouts', singular: 'rollout', kind: 'Rollout', listKind: 'RolloutList' };
  const schema = { type: 'object', properties: { spec: structural(openApiSchema(spec, { version: 3 })) } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const [kind] = kindsOf(
    readDefinition({
      metadata: { name: 'rollouts.example.com', generation: 1 },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
      status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] },
    }),
    scale,
  );
  if (kind === undefined) throw new Error('the definition must be established');
  return kind;
}

/** The CPU time for one object, in microseconds: all processing of its content before it is stored. */
function measure(kind: Kind, rounds: number): number {
  const { entry } = kind;
  const started = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const object = clean(kind.schema, typicalDeployment, entry.kind).value;
    setDefaults(kind, object);
    metaOf(object).uid = '00000000-0000-0000-0000-000000000000';
    prepareCreate(kind, object, { name: 'a', uid: 'b', groups: [] });
    const errors = [
      ...validateMeta(entry, object),
      ...(entry.validate?.(object) ?? []),
      ...(entry.validateWritten?.(object, undefined, '') ?? []),
    ];
    assert.deepEqual(errors, []);
    JSON.stringify(object);
  }
  const { user, system } = process.cpuUsage(started);
  return (user + system) / rounds;
}

const ROUNDS = 8;
const custom = customKind();
const best = { builtIn: Number.POSITIVE_INFINITY, defined: Number.POSITIVE_INFINITY };
for (let round = 0; round < ROUNDS; round++) {
  best.builtIn = Math.min(best.builtIn, measure(deployment, 2000));
  best.defined = Math.min(best.defined, measure(custom, 2000));
}
const { builtIn, defined } = best;
const ratio = (defined / builtIn).toFixed(2);
process.stdout.write(
  `a Deployment: ${builtIn.toFixed(1)} µs, as a custom kind: ${defined.toFixed(1)} µs, ${ratio} times\n`,
);

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { allCollections, largeObject } from '@tidegate/kinds/testing';
import type { Json, JsonObject } from '@tidegate/schema';
import { Stage } from './security/stage.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/**
 * Whoever looks at an object before it is judged (rights, plugins, quotas) meets null where it does not expect it: what it
 * says then is about the object, and never an error of ours.
 */
let system: RunningSystem;
let stage: Stage;

before(async () => {
  system = await runningSystem();
  stage = await Stage.over(system);
  await stage.allow([{ verbs: ['create', 'update', 'patch'], apiGroups: ['*'], resources: ['*'] }], 'everywhere');
});
after(() => stage?.close());

const collections = Map.groupBy(allCollections(builtInRegistry()), ({ kind }) => kind);

for (const [kind, all] of collections) {
  test(`${kind.apiVersion} ${kind.entry.kind} with null in any place is judged`, async () => {
    const wrong: string[] = [];
    for (const object of all.flatMap((one) => withNulls(largeObject([one], 'different', 2)))) {
      for (const [method, path] of waysOf(kind)) {
        const { code, text } = await stage.ask(method, path, { body: object, headers: headersOf(method) });
        if (code >= 500) wrong.push(`${method} ${code} ${JSON.stringify(object).slice(0, 300)} ${text.slice(0, 300)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

function waysOf({ entry }: Kind): Array<readonly [method: string, path: string]> {
  const base = `/${entry.group === '' ? 'api' : `apis/${entry.group}`}/${entry.version}${entry.namespaced ? '/namespaces/own' : ''}/${entry.resource}`;
  return [
    ['POST', `${base}?dryRun=All`],
    ['PATCH', `${base}/large?dryRun=All&fieldManager=m&force=true`],
  ];
}

function headersOf(method: string): Record<string, string> {
  return { 'Content-Type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json' };
}

/** The object with null in each of its places, one at a time. */
function withNulls(object: JsonObject): JsonObject[] {
  const { namespace, ...metadata } = object.metadata as JsonObject;
  const whole = { ...object, metadata };
  return pathsIn(whole)
    .filter(([first, second]) => first !== 'apiVersion' && first !== 'kind' && second !== 'name')
    .map((path) => replaced(whole, path) as JsonObject);
}

function pathsIn(value: Json, path: readonly string[] = []): Array<readonly string[]> {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, item]) => pathsIn(item as Json, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function replaced(value: Json, [key, ...rest]: readonly string[]): Json {
  if (key === undefined) return null;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? replaced(item, rest) : item));
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] as Json, rest) };
}

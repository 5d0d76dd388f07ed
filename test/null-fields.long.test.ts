import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { allCollections, largeObject } from '@tidegate/kinds/testing';
import type { Json, JsonObject } from '@tidegate/schema';
import { AttackTarget } from './security/attack-target.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/**
 * Code that reads an object before its validation (authorization, plugins, quotas) can find null at any place. The answer
 * must be about the object, never a server error.
 */
let system: RunningSystem;
let target: AttackTarget;

before(async () => {
  system = await runningSystem();
  target = await AttackTarget.over(system);
  await target.allow([{ verbs: ['create', 'update', 'patch'], apiGroups: ['*'], resources: ['*'] }], 'everywhere');
});
after(() => target?.close());

const collections = Map.groupBy(allCollections(builtInRegistry()), ({ kind }) => kind);

for (const [kind, all] of collections) {
  test(`${kind.apiVersion} ${kind.entry.kind} with null at any place causes no server error.`, async () => {
    const wrong: string[] = [];
    for (const object of all.flatMap((one) => withNulls(largeObject([one], 'different', 2)))) {
      for (const [method, path] of requestsFor(kind)) {
        const { code, text } = await target.request(method, path, { body: object, headers: headersOf(method) });
        if (code >= 500) wrong.push(`${method} ${code} ${JSON.stringify(object).slice(0, 300)} ${text.slice(0, 300)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

function requestsFor({ entry }: Kind): Array<readonly [method: string, path: string]> {
  const base = `/${entry.group === '' ? 'api' : `apis/${entry.group}`}/${entry.version}${entry.namespaced ? '/namespaces/own' : ''}/${entry.resource}`;
  return [
    ['POST', `${base}?dryRun=All`],
    ['PATCH', `${base}/large?dryRun=All&fieldManager=m&force=true`],
  ];
}

function headersOf(method: string): Record<string, string> {
  return { 'Content-Type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json' };
}

/** Copies of the object, each with null at another place. */
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

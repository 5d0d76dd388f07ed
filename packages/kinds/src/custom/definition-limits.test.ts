import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry } from '../built-in.ts';
import { readDefinition } from './definition.ts';
import { DEFINITION_LIMITS } from './definition-limits.ts';
import { kindsOf } from './kinds-of.ts';

const registry = builtInRegistry();
const entry = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')?.entry;
const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;

const FREE: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Parts {
  readonly versions?: number;
  readonly version?: JsonObject;
  readonly names?: JsonObject;
  readonly spec?: JsonObject;
  readonly schema?: (i: number) => JsonObject;
}

function definition({ versions = 1, version = {}, names = {}, spec = {}, schema = () => FREE }: Parts): JsonObject {
  const own = { plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList' };
  return {
    metadata: { name: 'apples.example.com', generation: 1 },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { ...own, ...names },
      conversion: { strategy: 'None' },
      versions: times(versions, (i) => ({
        name: `v${i}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: schema(i) },
        ...version,
      })),
      ...spec,
    },
    status: {
      storedVersions: ['v0'],
      acceptedNames: own,
      conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }],
    },
  };
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

function problems(object: JsonObject): string[] {
  const all = [...(entry?.validate?.(object) ?? []), ...(entry?.validateCreate?.(object) ?? [])];
  return all.map(({ field, message }) => `${field}: ${message}`);
}

const strings = (count: number): JsonObject =>
  Object.fromEntries(times(count, (i) => [`f${i}`, { type: 'string' } as JsonObject]));
const rules = (count: number, rule = 'true'): JsonObject => ({
  'x-kubernetes-validations': times(count, () => ({ rule })),
});
const nested = (depth: number, leaf: JsonObject): JsonObject =>
  depth === 0 ? leaf : { type: 'object', properties: { a: nested(depth - 1, leaf) }, ...rules(1) };
const patterned = (count: number): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(times(count, (i) => [`f${i}`, { type: 'string', pattern: `^(a{1,9}){1,9}${i}$` }])),
});
/** Expressions with this number of characters together, none of them too long. */
const expressions = (characters: number): JsonObject => {
  const long = `${' '.repeat(65_531)}true `;
  const rest = characters % long.length;
  const all = [...times(Math.floor(characters / long.length), () => long), ...(rest === 0 ? [] : [' '.repeat(rest)])];
  return { type: 'object', 'x-kubernetes-validations': all.map((rule) => ({ rule })) };
};
const SCHEMA = 'spec.versions[0].schema.openAPIV3Schema: Forbidden: all versions together must have at most';

/** By the name of the limit: makes a definition with this number of items. */
const LIMITS: ReadonlyArray<readonly [name: string, most: number, make: (count: number) => Parts]> = [
  ['spec.versions: Too many', DEFINITION_LIMITS.versions, (versions) => ({ versions })],
  [
    'spec.versions[0].additionalPrinterColumns: Too many',
    DEFINITION_LIMITS.columns,
    (count) => ({
      version: {
        additionalPrinterColumns: times(count, (i) => ({ name: `c${i}`, type: 'string', jsonPath: `.a${i}` })),
      },
    }),
  ],
  [
    'spec.versions[0].selectableFields: Too many',
    DEFINITION_LIMITS.selectableFields,
    (count) => ({
      schema: () => ({ type: 'object', properties: strings(count) }),
      version: { selectableFields: times(count, (i) => ({ jsonPath: `.f${i}` })) },
    }),
  ],
  [
    'spec.names.shortNames: Too many',
    DEFINITION_LIMITS.names,
    (count) => ({ names: { shortNames: times(count, (i) => `n${i}`) } }),
  ],
  [
    'spec.names.categories: Too many',
    DEFINITION_LIMITS.names,
    (count) => ({ names: { categories: times(count, (i) => `n${i}`) } }),
  ],
  [
    'spec.conversion.webhook.conversionReviewVersions: Too many',
    DEFINITION_LIMITS.names,
    (count) => ({
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: 'https://a.example.com/' },
            conversionReviewVersions: ['v1', ...times(count - 1, (i) => `w${i}`)],
          },
        },
      },
    }),
  ],
  [
    `${SCHEMA} ${DEFINITION_LIMITS.rules} x-kubernetes-validations`,
    DEFINITION_LIMITS.rules,
    (count) => ({ schema: () => ({ type: 'object', ...rules(count) }) }),
  ],
  [
    `${SCHEMA} ${DEFINITION_LIMITS.expressions} characters`,
    DEFINITION_LIMITS.expressions,
    (count) => ({ schema: () => expressions(count) }),
  ],
  [
    `${SCHEMA} ${DEFINITION_LIMITS.seen} schemas below`,
    DEFINITION_LIMITS.seen,
    // each schema with a rule sees those below it: 50 × leaf, and 50 + 49 + … of themselves
    (count) => {
      const fields = Math.floor((DEFINITION_LIMITS.seen - 1325) / 50) + (count > DEFINITION_LIMITS.seen ? 1 : 0);
      return {
        schema: () => nested(50, { type: 'object', properties: strings(fields) }),
      };
    },
  ],
  [
    `${SCHEMA} ${DEFINITION_LIMITS.patterns} different patterns`,
    DEFINITION_LIMITS.patterns,
    (count) => ({ schema: () => patterned(count) }),
  ],
];

for (const [name, most, make] of LIMITS) {
  test(`A definition above the limit is rejected: ${name}`, () => {
    const [problem = '', ...others] = problems(definition(make(most + 1)));
    assert.ok(problem.startsWith(name), problem);
    assert.deepEqual(others, []);
  });

  test(`A definition at the limit is accepted within seconds: ${name}`, () => {
    const object = definition(make(most));
    const before = process.cpuUsage();
    assert.deepEqual(problems(object), []);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 5e6, `${(user + system) / 1000} ms`);
  });
}

test('Rules, expressions, schemas and patterns are counted over all versions.', () => {
  const half = { type: 'object', ...rules(DEFINITION_LIMITS.rules / 2 + 1) };
  const [problem = ''] = problems(definition({ versions: 2, schema: (i) => ({ ...half, description: String(i) }) }));
  assert.ok(problem.startsWith('spec.versions[1].schema.openAPIV3Schema: Forbidden: '), problem);
});

test('Making kinds takes time linear in the number of versions.', () => {
  assert.ok(scale !== undefined);
  const read = (versions: number) =>
    readDefinition(definition({ versions, version: { deprecated: true, selectableFields: [{ jsonPath: '.a' }] } }));
  const many = read(10_000);
  const before = process.cpuUsage();
  assert.equal(kindsOf(many, scale).length, 10_000);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 5e6, `${(user + system) / 1000} ms`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, type PolicyRule, type RuleAttributes, uncovered } from './index.ts';
import { pathMatches } from './policy-rule.ts';

/** The reference implementation: expands every rule and checks each permission. */
function comparedOneByOne(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const permissions = wanted.flatMap(
    ({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }): PolicyRule[] => {
      const names = resourceNames.length > 0 ? resourceNames : [undefined];
      const ofObjects = apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            names.map((name) => ({
              apiGroups: [group],
              resources: [resource],
              ...(name !== undefined && { resourceNames: [name] }),
              verbs: [verb],
            })),
          ),
        ),
      );
      const ofPaths = nonResourceURLs.flatMap((path) =>
        verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] })),
      );
      return [...ofObjects, ...ofPaths];
    },
  );
  return permissions.filter((permission) => !held.some((rule) => allows(rule, attributesOf(permission))));
}

function attributesOf({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule) {
  const verb = verbs[0] as string;
  if (nonResourceURLs.length > 0) return { isResource: false, verb, path: nonResourceURLs[0] } as RuleAttributes;
  const [resource = '', subresource = ''] = (resources[0] as string).split('/');
  // a name that no rule has: the permission is for objects of all names
  return {
    isResource: true,
    verb,
    group: apiGroups[0],
    resource,
    subresource,
    name: resourceNames[0] ?? '?',
  } as RuleAttributes;
}

/** A random number generator with a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('the comparison finds the same permissions as one that checks them one by one, in the same order', () => {
  const number = numbers(5);
  const some = (values: readonly string[]) => values.filter(() => number(3) === 0);
  const rule = (): PolicyRule => {
    const verbs = some(['get', 'list', 'watch', '*', 'get']);
    if (number(5) === 0) return { verbs, nonResourceURLs: some(['/a', '/a/b', '/a*', '/a/**', '*', '/c']) };
    const resources = some(['pods', 'pods/log', '*/log', 'services', 'things', '*', 'things/log']);
    return {
      verbs,
      apiGroups: some(['', 'apps', 'example.com', '*']),
      resources,
      ...(number(2) === 0 && { resourceNames: some(['a', 'b', 'c']) }),
    };
  };
  const rules = (most: number) => Array.from({ length: number(most) }, rule);
  let beyond = 0;
  for (let i = 0; i < 3000; i++) {
    const [held, wanted] = [rules(8), rules(4)];
    const found = uncovered(held, wanted);
    assert.deepEqual(found, { rules: comparedOneByOne(held, wanted), isCut: false }, JSON.stringify({ held, wanted }));
    beyond += found.rules.length;
  }
  assert.ok(beyond > 10_000);
});

const many = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word}${i}`);
const LIMITS = { most: 1000, steps: 2_000_000 };

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('a product of millions of permissions is compared without being expanded', () => {
  const wanted = [{ verbs: many(230, 'v'), apiGroups: many(230, 'g'), resources: many(230, 'r') }];
  assert.deepEqual(uncovered([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], wanted, LIMITS), {
    rules: [],
    isCut: false,
  });
  // each verb is in a held rule of its own
  const held = many(230, 'v').map((verb) => ({ verbs: [verb], apiGroups: ['*'], resources: ['*'] }));
  assert.deepEqual(uncovered(held, wanted, LIMITS), { rules: [], isCut: false });
  assert.deepEqual(uncovered(held.slice(1), wanted, { ...LIMITS, most: 2 }), {
    rules: [
      { apiGroups: ['g0'], resources: ['r0'], verbs: ['v0'] },
      { apiGroups: ['g0'], resources: ['r1'], verbs: ['v0'] },
    ],
    isCut: true,
  });
});

test('a comparison that costs too much ends early, and does not report the rules as covered', () => {
  const number = numbers(9);
  const half = (values: readonly string[]) => values.filter(() => number(2) === 0);
  const [verbs, apiGroups, resources] = [many(200, 'v'), many(200, 'g'), many(200, 'r')];
  const held = Array.from({ length: 2000 }, () => ({
    verbs: half(verbs),
    apiGroups: half(apiGroups),
    resources: half(resources),
  }));
  let result: ReturnType<typeof uncovered> | undefined;
  const ms = cpuMs(() => {
    result = uncovered(held, [{ verbs, apiGroups, resources }], LIMITS);
  });
  assert.equal(result?.isCut, true);
  // thirty times the usual duration; without limits it would take minutes
  assert.ok(ms < 5000, `${ms} ms`);
});

test('ten thousand rules of one permission each are compared with as many', () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({
    verbs: ['get'],
    apiGroups: ['apps'],
    resources: [`r${i % 100}`],
    resourceNames: [`n${i}`],
  }));
  assert.deepEqual(uncovered(rules, rules, LIMITS), { rules: [], isCut: false });
  assert.equal(uncovered(rules.slice(1), rules, LIMITS).rules.length, 1);
});

test('stars in the middle of a path take no extra time', () => {
  const stars = '*'.repeat(1_000_000);
  const ms = cpuMs(() => assert.equal(pathMatches(`/${stars}x*y`, `/${stars}`), false));
  assert.ok(ms < 1000, `${ms} ms`);
});

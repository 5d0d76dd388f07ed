import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, type Deed, type PolicyRule, uncovered } from './index.ts';
import { pathMatches } from './policy-rule.ts';

/** One after another, as a person would compare them. */
function comparedOneByOne(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const rights = wanted.flatMap(
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
  return rights.filter((right) => !held.some((rule) => allows(rule, deedOf(right))));
}

function deedOf({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  const verb = verbs[0] as string;
  if (nonResourceURLs.length > 0) return { isResource: false, verb, path: nonResourceURLs[0] } as Deed;
  const [resource = '', subresource = ''] = (resources[0] as string).split('/');
  // a name that no rule has: the right is one to objects of all names
  return { isResource: true, verb, group: apiGroups[0], resource, subresource, name: resourceNames[0] ?? '?' } as Deed;
}

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('what is beyond is what comparing right by right finds, in the same order', () => {
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

test('a product of millions of rights is compared without being written out', () => {
  const wanted = [{ verbs: many(230, 'v'), apiGroups: many(230, 'g'), resources: many(230, 'r') }];
  assert.deepEqual(uncovered([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], wanted, LIMITS), {
    rules: [],
    isCut: false,
  });
  // each verb is held in a rule of its own
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

test('what costs too much to compare ends early, and is not called covered', () => {
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
  // thirty times as long as it takes: without limits it would be minutes
  assert.ok(ms < 5000, `${ms} ms`);
});

test('ten thousand rules of one right each are compared with as many', () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({
    verbs: ['get'],
    apiGroups: ['apps'],
    resources: [`r${i % 100}`],
    resourceNames: [`n${i}`],
  }));
  assert.deepEqual(uncovered(rules, rules, LIMITS), { rules: [], isCut: false });
  assert.equal(uncovered(rules.slice(1), rules, LIMITS).rules.length, 1);
});

test('stars in the middle of a path are no work', () => {
  const stars = '*'.repeat(1_000_000);
  const ms = cpuMs(() => assert.equal(pathMatches(`/${stars}x*y`, `/${stars}`), false));
  assert.ok(ms < 1000, `${ms} ms`);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '@tidegate/schema';
import type { Kind } from '../../kind-entry.ts';
import { type CaseResult, create, replace } from '../../testing/corpus.ts';
import { kindAt } from '../../testing/recorded.ts';
import { readDefinition } from '../definition.ts';
import { kindsOf } from '../kinds-of.ts';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** A response of kube-apiserver 1.35. */
interface Answer {
  readonly code: number;
  readonly causes?: readonly Cause[];
}

interface Step {
  readonly create?: JsonObject;
  readonly replace?: JsonObject;
  readonly status?: JsonObject;
  readonly schema?: JsonObject;
  readonly answer: Answer;
}

/** A definition with rules, and the writes of objects of its kind. */
interface RuleCase {
  readonly title: string;
  readonly schema: JsonObject;
  readonly answer: Answer;
  readonly steps?: readonly Step[];
}

const file = new URL('../../../recorded/rules.json', import.meta.url);
const cases: RuleCase[] = JSON.parse(readFileSync(file, 'utf8'));

const definitions = kindAt('/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
const scale = kindAt('/apis/apps/v1/deployments').entry.subresources.scale?.entry;
const GROUP = 'rules.example.com';
const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };

function definitionOf(schema: JsonObject): JsonObject {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${GROUP}` },
    spec: { group: GROUP, scope: 'Cluster', names: NAMES, versions: [version] },
  };
}

const ESTABLISHED = { type: 'Established', status: 'True', reason: '', message: '' };

function kindOf(definition: JsonObject): Kind {
  if (scale === undefined) throw new Error('deployments have a scale');
  const status = { acceptedNames: NAMES, conditions: [ESTABLISHED], storedVersions: ['v1'] };
  const [kind] = kindsOf(readDefinition({ ...definition, status }), scale);
  if (kind === undefined) throw new Error('it is established');
  return kind;
}

/** Runs a case: the responses to the definition and to each step. */
function play({ schema, steps = [] }: RuleCase): Answer[] {
  const made = create(definitions, definitionOf(schema));
  const answers: Answer[] = [made];
  let definition = made.object;
  if (definition === undefined) return answers;
  let kind = kindOf(definition);
  let current: JsonObject | undefined;
  let count = 0;
  const keep = (verdict: CaseResult): CaseResult => {
    current = verdict.object ?? current;
    return verdict;
  };
  for (const step of steps) {
    if (step.schema !== undefined) {
      const changed = replace(definitions, definition, { ...definitionOf(step.schema), ...metaOfObject(definition) });
      definition = changed.object ?? definition;
      if (changed.object !== undefined) kind = kindOf(definition);
      answers.push(changed);
    } else if (step.create !== undefined) {
      current = undefined;
      answers.push(keep(create(kind, wholeOf(step.create, ++count))));
    } else if (current === undefined) answers.push({ code: 404 });
    else if (step.status !== undefined) {
      const { status } = step.status;
      answers.push(keep(replace(kind, current, { ...structuredClone(current), status: status as Json }, 'status')));
    } else {
      const status = current.status === undefined ? {} : { status: structuredClone(current.status) };
      answers.push(
        keep(
          replace(kind, current, {
            ...wholeOf(step.replace ?? {}, count),
            ...metaOfObject(current),
            ...status,
          }),
        ),
      );
    }
  }
  return answers;
}

const metaOfObject = ({ metadata }: JsonObject): JsonObject => ({ metadata: structuredClone(metadata as Json) });

function wholeOf(object: JsonObject, count: number): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name: `thing-${count}` }, ...object };
}

/**
 * kube-apiserver checks fields in random order; the causes of one field have an order. The name of a type is random.
 */
function plain({ code, causes = [] }: Answer): JsonObject {
  const sorted = causes.map(({ field, reason, message }) => ({
    field,
    reason,
    message: message.replace(/selfType\d+/g, 'selfType'),
  }));
  sorted.sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0));
  return { code: code < 300 ? 200 : code, causes: sorted };
}

/** The expected response: 400 when a field has the wrong type or is missing, unless a rule is the reason. */
function expected(answer: Answer, rules: string): JsonObject {
  const isMalformed = ({ reason }: Cause) =>
    reason === 'FieldValueTypeInvalid' || (reason === 'FieldValueRequired' && !rules.includes(reason));
  return plain({ ...answer, code: answer.code === 422 && answer.causes?.some(isMalformed) ? 400 : answer.code });
}

describe('Rules have the results of kube-apiserver', () => {
  for (const one of cases) {
    test(one.title, () => {
      const steps = one.answer.code === 201 ? (one.steps ?? []) : [];
      assert.deepEqual(
        play(one).map(plain),
        [one.answer, ...steps.map(({ answer }) => answer)].map((answer) =>
          expected(answer, JSON.stringify(one.schema)),
        ),
      );
    });
  }

  test('there are more than 100 recorded responses', () => {
    assert.ok(cases.reduce((sum, { steps = [] }) => sum + 1 + steps.length, 0) > 100);
  });
});

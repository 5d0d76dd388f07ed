import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@tidegate/schema';
import { type FieldError, fieldError } from '@tidegate/status';
import { fromStored } from '../index.ts';
import { reportOmitted } from '../rules/omitted-fields.ts';
import { type CorpusCase, type CorpusFile, evaluateCase, readCorpus } from './corpus.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { registry } from './recorded.ts';

const corpus = readCorpus();

/** The code is 400 instead of 422 when one of the errors is a wrong type or a missing field. */
const MALFORMED = new Set(['FieldValueTypeInvalid', 'FieldValueRequired']);

function expectedCode({ code }: CorpusCase['answer'], causes: readonly Cause[]): number {
  return code === 422 && causes.some(({ reason }) => MALFORMED.has(reason)) ? 400 : Math.min(code, 500);
}

type Cause = NonNullable<CorpusCase['answer']['causes']>[number];

/** Errors of kube-apiserver about the zero value of a required field are expected as missing values. */
function expectedCauses(
  { kind }: Pick<CorpusFile, 'kind'>,
  { answer, manifest, then = manifest }: CorpusCase,
): readonly Cause[] {
  const errors = (answer.causes ?? []).map(({ field, reason, message }) =>
    fieldError(field, reason as FieldError['type'], message),
  );
  return reportOmitted(kind.schema, then, errors).map(({ field, type, message }) => ({ field, reason: type, message }));
}

/**
 * Differences of Go types are not compared, and generated names are random. Objects and lists in errors are expected
 * as JSON of the API, not as Go values; null is not printed.
 */
function plain(message: string): string {
  return message
    .replace(/\n(?:@@|core).*$/s, '')
    .replace(/ "Bad_\w{5}"/, ' "Bad_"')
    .replace(/^(Invalid value|Unsupported value|Duplicate value): (?:null|[[{].*[\]}])(?=: |$)/s, '$1: JSON')
    .replace(/^Invalid value: ""(?=: )/, 'Invalid value: JSON');
}

/** Fields that kube-apiserver reports under another name than the API, with the name in the API. */
const MISNAMED: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.cephFS/, '.cephfs'],
  [/\.downwarAPI/, '.downwardAPI'],
  [/\.persistentDisk/, '.gcePersistentDisk'],
  [/\.initiatorname/, '.initiatorName'],
  [/\bcsi\.name$/, 'csi.nodePublishSecretRef.name'],
  [/downwardAPI\.items\[\d+\]/, 'downwardAPI'],
];

function called(field: string): string {
  return MISNAMED.reduce((name, [theirs, ours]) => name.replace(theirs, ours), field);
}

const lineOf = ({ field, reason, message }: { field: string; reason: string; message: string }): string =>
  `${called(field)} ${reason} ${plain(message)}`;

function differences({ kind }: CorpusFile, one: CorpusCase): string {
  const mine = evaluateCase(kind, one);
  const { answer } = one;
  if (one.valid && mine.code !== 200) return `${mine.code} ${mine.message ?? JSON.stringify(mine.causes)}`;
  if (one.valid) return keptOtherwise(answer.object ?? {}, fromStored(kind, mine.object as JsonObject));
  const lines: string[] = [];
  const causes = expectedCauses({ kind }, one);
  const code = expectedCode(answer, causes);
  if (mine.code !== code) lines.push(`code ${mine.code} instead of ${code}`);
  if (answer.causes === undefined && answer.code === 400) {
    const expected = answer.message?.replace(/^\w+ in version "\w+" cannot be handled as a \w+: /, '');
    if (expected !== mine.message) lines.push(`${mine.message} instead of ${expected}`);
    // kube-apiserver names no field there; this server does
    if (!mine.causes.some(({ field }) => field !== '')) lines.push('no field is named');
    return lines.join('\n');
  }
  const theirs = new Set(causes.map(lineOf));
  const ours = new Set(mine.causes.map(lineOf));
  for (const cause of theirs) if (!ours.has(cause)) lines.push(`missing ${cause}`);
  for (const cause of ours) if (!theirs.has(cause)) lines.push(`beyond ${cause}`);
  return lines.join('\n');
}

/** Fields with random or allocated values, or values of other components. */
const DRAWN =
  /^(?:status|metadata|clusterIPs?|ipFamil\w+|nodePort|healthCheckNodePort|creationTimestamp|uid|tolerations|priority|preemptionPolicy|serviceAccount\w*|taints|controller-uid|batch\.kubernetes\.io\/controller-uid)$/;

/** The first field that only one side stores, or with another value. */
function keptOtherwise(theirs: Json | undefined, ours: Json | undefined, path = ''): string {
  if (typeof theirs !== 'object' || typeof ours !== 'object' || theirs === null || ours === null) {
    return (theirs ?? null) === (ours ?? null)
      ? ''
      : `${path}: kept as ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`;
  }
  const [left, right] = [theirs as JsonObject, ours as JsonObject];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (DRAWN.test(name) || (path === '' && ['apiVersion', 'kind'].includes(name))) continue;
    const found = keptOtherwise(left[name], right[name], `${path}.${name}`);
    if (found !== '') return found;
  }
  return '';
}

for (const file of corpus) {
  for (const one of file.cases) {
    const title = `${file.name}: ${one.title}`;
    test(`${title} gets the response of kube-apiserver`, () => {
      const found = differences(file, one);
      const known = KNOWN_DIFFERENCES[title];
      if (known === undefined) assert.equal(found, '');
      else assert.notEqual(found, '', `the difference is gone: ${known}`);
    });
  }
}

test('every kind that is stored has at least 3 valid and 5 invalid manifests', () => {
  const counts = new Map<string, [number, number]>();
  for (const { kind, cases } of corpus) {
    const valid = cases.filter((one) => one.valid).length;
    counts.set(`${kind.apiVersion} ${kind.entry.kind}`, [valid, cases.length - valid]);
  }
  const few = registry
    .all()
    .filter(({ entry }) => entry.verbs.includes('create') && entry.verbs.includes('get'))
    .map(({ apiVersion, entry }) => `${apiVersion} ${entry.kind}`)
    .filter((name) => (counts.get(name)?.[0] ?? 0) < 3 || (counts.get(name)?.[1] ?? 0) < 5);
  assert.deepEqual(few, []);
});

test('every known difference belongs to a case', () => {
  const titles = new Set(corpus.flatMap(({ name, cases }) => cases.map(({ title }) => `${name}: ${title}`)));
  assert.deepEqual(
    Object.keys(KNOWN_DIFFERENCES).filter((title) => !titles.has(title)),
    [],
  );
});

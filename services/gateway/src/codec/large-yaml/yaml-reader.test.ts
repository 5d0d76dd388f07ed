import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeYaml } from '@tidegate/schema';
import { ApiError } from '@tidegate/status';
import { decodeApplied, parseAhead } from '../decode-body.ts';
import { YamlReader } from './yaml-reader.ts';

const reader = new YamlReader();
after(() => reader.close());

const APPLY = 'application/apply-patch+yaml';
const any = { type: 'any' } as const;
const lines = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('');

/** Decodes a large body by way of the worker thread. */
async function decodedByThread(text: string) {
  const body = Buffer.from(text);
  await parseAhead(reader, body, APPLY);
  return decodeApplied(any, body, APPLY);
}

test('a large text decodes in the worker thread as it does on the main thread', async () => {
  const text = `__proto__: {a: 9223372036854775807}\nb: 0400\nc: !!binary aGk=\n${lines(9000, (i) => `k${i}: yes\n`)}`;
  const { object, notes } = await decodedByThread(text);
  assert.deepEqual(object, decodeYaml(Buffer.from(text)).value);
  assert.equal(notes, undefined);
});

test('duplicate keys of a large text are reported with their lines', async () => {
  const { object, notes } = await decodedByThread(`a: {b: 1, b: 2}\n${lines(9000, (i) => `k${i}: yes\n`)}`);
  assert.deepEqual(notes?.lines, ['line 1: key "b" already set in map']);
  assert.deepEqual([...(notes?.repeatedKeys.get(object.a as object) ?? [])], ['b']);
});

test('a large text that is not YAML is rejected like a small one', async () => {
  const text = lines(9000, (i) => `k${i}: yes\n`);
  for (const bad of [`${text}  - a`, `a: *b\n${text}`, `a: "\n${text}`, `%YAML 1.2\n---\n${text}`]) {
    const [direct, aside] = [
      messageOf(() => decodeYaml(Buffer.from(bad))),
      decodedByThread(bad).then(String, messageIn),
    ];
    assert.equal(await aside, await direct);
  }
  assert.deepEqual((await decodedByThread(text)).object.k8999, true, 'the next text is read');
});

test('a text that needs too much memory is rejected, and the next one is read', async () => {
  const parts = Buffer.from(`[${'[],'.repeat(1_000_000)}]`);
  for (let i = 0; i < 2; i++) {
    const refusal = await reader.read(parts);
    assert.ok(refusal instanceof ApiError);
    assert.match(refusal.message, /as YAML: (it has too many parts; send it as JSON|it has more than 250000 fields)/);
  }
  assert.deepEqual(await reader.read(Buffer.from('a: b')), { value: { a: 'b' } });
});

test('concurrent large texts each get their own result', async () => {
  const texts = ['x1', 'x2', 'x3'].map((name) => `name: ${name}\n${lines(9000, (i) => `k${i}: yes\n`)}`);
  const all = await Promise.all(texts.map(decodedByThread));
  assert.deepEqual(
    all.map(({ object }) => object.name),
    ['x1', 'x2', 'x3'],
  );
});

test('JSON with too many fields is not parsed again as YAML', async () => {
  const text = `{${lines(150_001, (i) => `"k${i}":0,`)}"z":0}`;
  assert.match(
    messageOf(() => decodeApplied(any, Buffer.from(text), APPLY)),
    /as JSON: it has more than 150000 fields/,
  );
  assert.match(await decodedByThread(text).then(String, messageIn), /as JSON: it has more than 150000 fields/);
});

function messageOf(read: () => unknown): string {
  try {
    return String(read());
  } catch (error) {
    return messageIn(error as Error);
  }
}

function messageIn(error: Error): string {
  return error.message;
}

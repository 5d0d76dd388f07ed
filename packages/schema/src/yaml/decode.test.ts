import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { decodeYaml } from './decode.ts';

interface Verdict {
  readonly value?: unknown;
  readonly code?: number;
  readonly warning?: string;
}

interface RecordedCase {
  readonly scalar?: string;
  readonly block?: string;
  readonly said: Record<string, Verdict>;
  /** why the result differs here */
  readonly because?: string;
}

const file = join(import.meta.dirname, '../../recorded/yaml.json');
const HEAD = 'apiVersion: yaml.example.com/v1\nkind: Thing\nmetadata:\n  name: NAME\n';

/** A text with its recorded result: the value of its spec or an error, and the warning about repeated keys. */
const cases = (JSON.parse(readFileSync(file, 'utf8')) as RecordedCase[]).flatMap(({ scalar, block, said, because }) => {
  const verdict = said[scalar === undefined ? 'made' : 'any'];
  if (because !== undefined || verdict === undefined || (scalar ?? block) === undefined) return [];
  const { value, code, warning = '' } = verdict;
  const spec = scalar === undefined ? (value as { spec?: unknown } | undefined)?.spec : { value };
  const lines = warning.split(/, (?=299)/).flatMap((text) => /^299 - "(line .*)"$/.exec(text)?.[1] ?? []);
  const wanted = code === undefined ? { spec, lines: lines.map((line) => line.replaceAll('\\', '')) } : { code };
  return [{ text: `${HEAD}spec:${scalar === undefined ? block : `\n  value: ${scalar}`}\n`, wanted }];
});

function read(text: string): unknown {
  try {
    const { value, notes } = decodeYaml(Buffer.from(text));
    return JSON.parse(JSON.stringify({ spec: (value as { spec: unknown }).spec, lines: notes?.lines ?? [] }));
  } catch (error) {
    assert.equal((error as Error).name, 'ApiError');
    return { code: 400 };
  }
}

test('YAML is decoded as in Kubernetes, with the same warnings about repeated keys', () => {
  assert.ok(cases.length > 400);
  const wrong = cases
    .map(({ text, wanted }) => ({ text, made: read(text), wanted }))
    .filter(({ made, wanted }) => !isDeepStrictEqual(made, wanted));
  assert.deepEqual(wrong, []);
});

test('integers in every base keep all their digits', () => {
  const read = (text: string) => decodeYaml(Buffer.from(text)).value;
  assert.equal(read('0x7FFF_FFFF_FFFF_FFFF'), 2n ** 63n - 1n);
  assert.equal(read('0777777777777777777777'), 2n ** 63n - 1n);
  assert.equal(read('-0b1000000000000000000000000000000000000000000000000000000000000000'), -(2n ** 63n));
  assert.equal(read('18446744073709551616'), 2n ** 64n);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeYaml } from '@tidegate/schema';
import { yamlOf } from './yaml.ts';

const file = join(import.meta.dirname, '../../../../../packages/schema/recorded/yaml.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as Array<{ scalar?: string; block?: string; document?: string }>;

test('a text is written so that it is read as the same text, as value and as key', () => {
  const wrong: string[] = [];
  for (const { scalar, block, document } of cases) {
    const text = scalar ?? block ?? document ?? '';
    if (text.includes('\0') || text.includes('\ufffe')) continue;
    const written = yamlOf({ value: text, list: [text], [text]: 1 });
    const { value } = decodeYaml(Buffer.from(written));
    try {
      assert.deepEqual(value, { value: text, list: [text], [text]: 1 });
    } catch {
      wrong.push(written);
    }
  }
  assert.deepEqual(wrong, []);
});

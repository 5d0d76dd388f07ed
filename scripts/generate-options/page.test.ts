import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageOf, shareRows } from './page.ts';
import { readSections, readVariableOf } from './tables.ts';

const root = join(import.meta.dirname, '../..');
const variableOf = (name: string): string => name.toUpperCase();

/** The rows of the tables, without headers. */
function rowsOf(page: string): string[] {
  return page.split('\n').filter((line) => line.startsWith('| `'));
}

test('A row shows the flag with its value, the variables, the default and the meaning.', () => {
  const table = {
    port: { type: 'number', default: 6443, help: 'port for clients' },
    names: { type: 'list', default: ['a', 'b'], value: 'NAME,...', help: 'all names' },
    quick: { type: 'boolean', help: 'a|b' },
    trace: { type: 'string', default: '', env: 'OTHER', help: 'to <host>' },
    key: { type: 'string', required: true, value: 'FILE', help: 'its key' },
  };
  const page = pageOf({ sections: [{ title: 'A', about: 'Of a.', table }], variableOf });
  assert.match(page, /\n## A\n\nOf a\.\n\n\| option /);
  assert.deepEqual(rowsOf(page), [
    '| `--port N` | `PORT` | `6443` | port for clients |',
    '| `--names NAME,...` | `NAMES` | `a,b` | all names |',
    '| `--quick` | `QUICK` | `false` | a\\|b |',
    '| `--trace TEXT` | `TRACE`, `OTHER` |  | to &lt;host> |',
    '| `--key FILE` | `KEY` | required | its key |',
  ]);
});

test('A row that several tables share is shown once, and rows that share only their name stay apart.', () => {
  const common = { type: 'string', help: 'of both' };
  const sections = [
    { title: 'A', about: '', table: { common, file: { type: 'string', help: 'of a' } } },
    { title: 'B', about: '', table: { common, file: { type: 'string', help: 'of b' } } },
  ];
  const names = shareRows(sections, [{ title: 'Both', about: '', of: 2 }]).map(({ title, table }) => [
    title,
    ...Object.keys(table),
  ]);
  assert.deepEqual(names, [
    ['Both', 'common'],
    ['A', 'file'],
    ['B', 'file'],
  ]);
});

test('The page has each option of each service once, and no path of this machine.', async () => {
  const sections = await readSections(root);
  const page = pageOf({ sections, variableOf: await readVariableOf(root) });
  for (const name of ['--instance', '--nats-url', '--tls-cert-file', '--postgres-url']) {
    assert.ok(page.includes(`\`${name} `), name);
  }
  assert.equal(rowsOf(page).filter((row) => row.startsWith('| `--instance ')).length, 1);
  assert.ok(!page.includes(root));
});

test('docs/operate/options.md is up to date.', async () => {
  const page = pageOf({ sections: await readSections(root), variableOf: await readVariableOf(root) });
  assert.equal(readFileSync(join(root, 'docs/operate/options.md'), 'utf8'), page, 'run npm run generate:options');
});

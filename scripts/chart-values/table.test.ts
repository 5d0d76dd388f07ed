import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tableOf, valuesIn, withTable } from './table.ts';

const chart = join(import.meta.dirname, '../../charts/tidegate');
const values = valuesIn(readFileSync(join(chart, 'values.yaml'), 'utf8'));

test('Values are found with their paths, defaults and descriptions.', () => {
  const yaml = `# Of all.
image:
  # Where it is.
  repository: tidegate
  # What it
  # needs.
  resources:
    requests: {cpu: 1}
    limits: {memory: 1Gi}
gateway:
  # Who.
  clients: []
`;
  assert.deepEqual(valuesIn(yaml), [
    { path: 'image.repository', usual: 'tidegate', sentence: 'Where it is.' },
    { path: 'image.resources', usual: 'requests: {cpu: 1}, limits: {memory: 1Gi}', sentence: 'What it needs.' },
    { path: 'gateway.clients', usual: '[]', sentence: 'Who.' },
  ]);
});

test('The README of the chart is up to date.', () => {
  const page = readFileSync(join(chart, 'README.md'), 'utf8');
  assert.equal(page, withTable(page, tableOf(values)), 'run npm run generate:chart-values');
});

test('The chart has the version of the release that it installs.', () => {
  const { version } = JSON.parse(readFileSync(join(chart, '../../package.json'), 'utf8')) as { version: string };
  const text = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  assert.match(text, new RegExp(`^version: ${version}$`, 'm'));
  assert.match(text, new RegExp(`^appVersion: ${version}$`, 'm'));
});

test('Every value of the chart has a description.', () => {
  for (const { path, sentence } of values) assert.match(sentence, /^[A-Z].*\.$/, `${path} has no sentence`);
});

test('values.yaml and the schema have the same values.', () => {
  interface Node {
    $ref?: string;
    properties?: Record<string, Node>;
  }
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as Node & {
    $defs: Record<string, Node>;
  };
  const known: string[] = [];
  const walk = (node: Node, path: string): void => {
    const { properties } = node.$ref === undefined ? node : (schema.$defs[node.$ref.slice(8)] ?? {});
    const isWhole = values.some((one) => one.path === path);
    if (properties === undefined || isWhole) known.push(path);
    else for (const [name, child] of Object.entries(properties)) walk(child, path === '' ? name : `${path}.${name}`);
  };
  walk(schema, '');
  const there = new Set(values.map(({ path }) => path));
  const parts = ['gateway', 'store', 'watch', 'health'];
  const isShared = (path: string) => {
    const [part = '', ...rest] = path.split('.');
    const shared = `parts.${rest.join('.')}`;
    return parts.includes(part) && [...there].some((one) => shared === one || shared.startsWith(`${one}.`));
  };
  // Helm defines global
  assert.deepEqual(
    known.filter((path) => !there.has(path) && !isShared(path) && path !== 'global'),
    [],
  );
  assert.deepEqual(
    [...there].filter((path) => !known.includes(path)),
    [],
  );
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Json, JsonObject } from '@tidegate/schema';
import { builtInRegistry, defaultColumns, metaOf, toStored } from '../index.ts';

interface Recorded {
  path: string;
  answered: JsonObject;
  /** name, type, format and priority */
  columns: string[];
  cells: Json[];
}

/** The Tables that kube-apiserver 1.35 made of these objects, a moment after their creation. */
const recorded = JSON.parse(
  readFileSync(new URL('../../recorded/objects.json', import.meta.url), 'utf8'),
) as Recorded[];
const registry = builtInRegistry();

/** What a row shows that the recorded answer to the creation does not have yet. */
const LATER: Readonly<Record<string, readonly string[]>> = { apiservices: ['Available'] };
/** The default Table has two columns, by the specification of this server. */
const DEFAULT = ['Name string name 0', 'Created_At date - 0'];

for (const { path, answered, columns, cells } of recorded) {
  const parts = path.split('/').slice(1);
  const [group = '', version = ''] = parts[0] === 'api' ? ['', parts[1]] : parts.slice(1);
  const resource = parts.at(-1) ?? '';
  test(`${path} ${metaOf(answered).name} is shown in the columns that kubectl's users know`, () => {
    const kind = registry.find(group, version, resource);
    assert.ok(kind);
    const ours = kind.stored.entry.columns ?? defaultColumns;
    const named = ours.map(({ name, type, format, priority = 0 }) => {
      return `${name.replaceAll(' ', '_')} ${type} ${format ?? '-'} ${priority}`;
    });
    // Kubernetes forgets to name the last column of addresses
    const theirs = resource === 'ipaddresses' ? [...columns, 'Age string - 0'] : columns;
    assert.deepEqual(named, theirs);
    if (columns.join() === DEFAULT.join()) return;
    const object = toStored(kind, structuredClone(answered));
    for (const [i, column] of ours.entries()) {
      if (/^(Age|Last Seen|First Seen)$/.test(column.name) || LATER[resource]?.includes(column.name)) continue;
      assert.equal(column.cell(object), cells[i], column.name);
    }
  });
}

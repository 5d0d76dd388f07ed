import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultColumns, metaOf, toStored } from '../index.ts';
import { kindAt, recorded } from './recorded.ts';

/** Cells that depend on the time after the recorded creation. */
const LATER: Readonly<Record<string, readonly string[]>> = { apiservices: ['Available'] };
const BY_THE_CLOCK = /^(Age|Last Seen|First Seen|Created At)$/;

for (const { path, answered, columns, cells } of recorded) {
  const resource = path.split('/').at(-1) ?? '';
  test(`${path} ${metaOf(answered).name} is shown in the columns of kube-apiserver`, () => {
    const kind = kindAt(path);
    const ours = kind.stored.entry.columns ?? defaultColumns;
    const named = ours.map(({ name, type, format, priority = 0 }) => {
      return `${name.replaceAll(' ', '_')} ${type} ${format ?? '-'} ${priority}`;
    });
    // Kubernetes does not declare the last column of addresses
    assert.deepEqual(named, resource === 'ipaddresses' ? [...columns, 'Age string - 0'] : columns);
    const object = toStored(kind, structuredClone(answered));
    for (const [i, column] of ours.entries()) {
      if (BY_THE_CLOCK.test(column.name) || LATER[resource]?.includes(column.name)) continue;
      assert.equal(column.cell(object), cells[i], column.name);
    }
  });
}

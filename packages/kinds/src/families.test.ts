import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TypeTable } from './facts/type-table.ts';
import { typeRules, updateRules } from './families.ts';
import { builtInRegistry, readRuntimeConfig } from './index.ts';

test('every rule belongs to an existing type and field', () => {
  const types = new TypeTable();
  const unknown = Object.entries(typeRules).flatMap(([name, rules]) => {
    const type = types.type(name.replace(/\.(\w+)$/, '/$1'));
    const fields = type.type === 'object' ? type.fields : {};
    const named = Object.keys(rules).map((field) => field.replace(/\[\]$|\{\}$/, ''));
    return named.filter((field) => field !== '' && fields[field] === undefined).map((field) => `${name} ${field}`);
  });
  assert.deepEqual(unknown, []);
});

test('every rule of updates belongs to a resource', () => {
  const resources = new Set(
    builtInRegistry(readRuntimeConfig('api/all'))
      .all()
      .map(({ entry: { group, resource } }) => (group === '' ? resource : `${resource}.${group}`)),
  );
  assert.deepEqual(
    Object.keys(updateRules).filter((resource) => !resources.has(resource)),
    [],
  );
});

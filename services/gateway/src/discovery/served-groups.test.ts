import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiPriority, builtInRegistry } from '@tidegate/kinds';
import { type RemoteVersion, type ServedElsewhere, servedGroups } from './served-groups.ts';

function elsewhere(priorities: Readonly<Record<string, ApiPriority>>): ServedElsewhere {
  const versions = Object.keys(priorities).map((groupVersion): RemoteVersion => {
    const [group = '', version = ''] = groupVersion.split('/');
    return { group, version, entry: { version }, openApi: { document: undefined, protobuf: undefined } };
  });
  return { revision: 1, versions, priority: (group, version) => priorities[`${group}/${version}`] };
}

const names = (other: ServedElsewhere, form: 'plain' | 'aggregated' = 'plain') =>
  servedGroups(builtInRegistry(), other, form).map(({ group }) => group);

test('groups are sorted by their highest version, after the group of APIServices', () => {
  const all = names(
    elsewhere({ 'a.example.com/v1': { group: 10, version: 1 }, 'a.example.com/v2': { group: 19_000, version: 1 } }),
  );
  assert.deepEqual(all.slice(0, 3), ['apiregistration.k8s.io', 'a.example.com', '']);
  const last = names(elsewhere({ 'a.example.com/v1': { group: 10, version: 1 } }));
  assert.equal(last.at(-1), 'a.example.com');
});

test('groups of one priority are sorted by name: in the plain form by the APIService, which begins with the version', () => {
  const same = { group: 100, version: 1 };
  const other = elsewhere({ 'a.example.com/v2': same, 'b.example.com/v1': same });
  assert.deepEqual(names(other).slice(-2), ['b.example.com', 'a.example.com']);
  assert.deepEqual(names(other, 'aggregated').slice(-2), ['a.example.com', 'b.example.com']);
});

test('versions are sorted by priority, and then by stability', () => {
  const at = (version: number) => ({ group: 100, version });
  const other = elsewhere({ 'a.io/v1alpha1': at(1), 'a.io/v1': at(1), 'a.io/v2beta1': at(9), 'a.io/v2': at(1) });
  const found = servedGroups(builtInRegistry(), other, 'plain').find(({ group }) => group === 'a.io');
  assert.deepEqual(
    found?.versions.map(({ version }) => version),
    ['v2beta1', 'v2', 'v1', 'v1alpha1'],
  );
});

test('a group version that is registered for a remote server is not listed as local', () => {
  const groups = servedGroups(builtInRegistry(), elsewhere({ 'batch/v1': { group: 17_400, version: 15 } }), 'plain');
  const batch = groups.find(({ group }) => group === 'batch');
  assert.deepEqual(
    batch?.versions.map(({ version, remote }) => [version, remote?.group]),
    [['v1', 'batch']],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaOf, prepareCreate, prepareUpdate } from '../index.ts';
import { kindAt } from '../testing/recorded.ts';

const kind = kindAt('/apis/apps/v1/namespaces/x/daemonsets');
const daemons = (image: string) => ({ metadata: { name: 'a' }, spec: { template: { spec: { image } } } });
const count = (object: object) => metaOf(object as never).annotations?.['deprecated.daemonset.template.generation'];

test('a daemon set counts the changes of its template', () => {
  const first = daemons('a');
  prepareCreate(kind, first, { name: 'a', uid: 'b', groups: [] });
  assert.equal(count(first), '1');
  const same = daemons('a');
  prepareUpdate(kind, same, first, '');
  assert.equal(count(same), '1');
  const other = daemons('b');
  prepareUpdate(kind, other, same, '');
  assert.equal(count(other), '2');
});

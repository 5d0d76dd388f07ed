import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenceOf, isSystemController } from './headers.ts';
import type { User } from './user.ts';

const CONTROLLER = 'system:kube-controller-manager';
const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups });

const OTHERS = [
  user('mallory'),
  user('admin', 'system:masters'),
  user(CONTROLLER),
  user(CONTROLLER, 'system:authenticated'),
  user('system:anonymous', 'system:unauthenticated'),
  user('kube-controller-manager', 'system:masters'),
];

test('The header is ignored unless a system controller sends it.', () => {
  for (const other of OTHERS) {
    assert.equal(isSystemController(other), false, other.name);
    for (const header of ['lifecycle=7', 'x', '', '=', 'lifecycle=0']) assert.equal(fenceOf(other, header), undefined);
  }
});

test('A system controller writes under the lease in its header, which must be valid.', () => {
  const controller = user(CONTROLLER, 'system:masters');
  assert.equal(isSystemController(controller), true);
  assert.equal(fenceOf(controller, 'lifecycle=7')?.kind, fenceOf(controller, 'other=1')?.kind);
  assert.equal(fenceOf(controller, undefined), undefined);
  for (const header of ['lifecycle', 'lifecycle=0', 'lifecycle=7=8', '=7']) {
    assert.throws(() => fenceOf(controller, header), { code: 400 });
  }
});

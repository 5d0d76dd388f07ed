import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModes } from './modes.ts';

test('roles decide, or everybody may do everything, which is said in the log', () => {
  assert.deepEqual(readModes(['RBAC']), { steps: ['roles'], notices: [] });
  const open = readModes(['AlwaysAllow']);
  assert.deepEqual(open.steps, ['everybody']);
  assert.match(open.notices.join(), /whoever has a name here may do everything/);
});

test('Node is taken, and said to mean nothing of its own', () => {
  const modes = readModes(['Node', 'RBAC']);
  assert.deepEqual(modes.steps, ['roles']);
  assert.match(modes.notices.join(), /no authorizer of nodes/);
});

for (const [names, message] of [
  [['Webhook'], /--authorization-mode=Webhook and --authorization-webhook-config-file belong together/],
  [['ABAC', 'RBAC'], /not "ABAC"; give the same rights by roles/],
  [['AlwaysDeny'], /nothing is allowed that no role allows/],
  [['rbac'], /takes RBAC, Webhook, AlwaysAllow and Node, not "rbac"$/],
  [['RBAC', 'RBAC'], /names RBAC twice/],
  [[], /needs at least one/],
] as const) {
  test(`--authorization-mode=${names.join()} is refused, with what to do instead`, () => {
    assert.throws(() => readModes(names), message);
  });
}

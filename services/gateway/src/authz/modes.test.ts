import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModes } from './modes.ts';

test('RBAC decides by roles, and AlwaysAllow allows everything with a warning in the log', () => {
  assert.deepEqual(readModes(['RBAC']), { steps: ['roles'], notices: [] });
  const open = readModes(['AlwaysAllow']);
  assert.deepEqual(open.steps, ['allow-all']);
  assert.match(open.notices.join(), /every authenticated user may do everything/);
});

test('Node is accepted with a warning that it adds no rights', () => {
  const modes = readModes(['Node', 'RBAC']);
  assert.deepEqual(modes.steps, ['roles']);
  assert.match(modes.notices.join(), /Node authorizer is not implemented/);
});

for (const [names, message] of [
  [['Webhook'], /--authorization-mode=Webhook and --authorization-webhook-config-file must be specified together/],
  [['ABAC', 'RBAC'], /not "ABAC"; grant the same rights by roles/],
  [['AlwaysDeny'], /denies everything that no role allows/],
  [['rbac'], /takes RBAC, Webhook, AlwaysAllow and Node, not "rbac"$/],
  [['RBAC', 'RBAC'], /names RBAC twice/],
  [[], /needs at least one/],
] as const) {
  test(`--authorization-mode=${names.join()} is refused, with what to do instead`, () => {
    assert.throws(() => readModes(names), message);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledPlugins, pluginNames } from './names.ts';

const read = (enable: string[], disable: string[] = []) =>
  enabledPlugins({ enableAdmissionPlugins: enable, disableAdmissionPlugins: disable });

test('the usual plugins are on, one may be switched off, and their order is that of Kubernetes', () => {
  const usual = read([]);
  assert.ok(usual.has('Priority') && usual.has('MutatingAdmissionWebhook'));
  assert.ok(!read([], ['Priority']).has('Priority'));
  assert.deepEqual(
    [...usual],
    pluginNames.filter((name) => usual.has(name)),
  );
});

test('an unknown name is refused with the nearest one', () => {
  assert.throws(() => read(['Priorty']), /there is no admission plugin Priorty; did you mean Priority\?/);
  assert.throws(() => read([], ['constructor']), /there is no admission plugin constructor$/);
});

test('what is asked for and not here is refused; what is not here may be switched off', () => {
  assert.throws(() => read(['EventRateLimit']), /this server does not have the admission plugin EventRateLimit/);
  assert.ok(read([], ['EventRateLimit']).size > 0);
});

test('nothing can be switched both on and off, and namespaces are guarded in any case', () => {
  assert.throws(() => read(['Priority'], ['Priority']), /Priority cannot be both/);
  assert.throws(() => read([], ['NamespaceLifecycle']), /NamespaceLifecycle cannot be switched off/);
  assert.ok(read(['NamespaceLifecycle', 'NamespaceExists']).has('Priority'));
});

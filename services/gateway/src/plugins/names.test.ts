import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledPlugins, pluginNames } from './names.ts';

const read = (enable: string[], disable: string[] = []) =>
  enabledPlugins({ enableAdmissionPlugins: enable, disableAdmissionPlugins: disable });

test('default plugins are enabled, can be disabled, and keep the order of Kubernetes', () => {
  const defaults = read([]);
  assert.ok(defaults.has('Priority') && defaults.has('MutatingAdmissionWebhook'));
  assert.ok(!read([], ['Priority']).has('Priority'));
  assert.deepEqual(
    [...defaults],
    pluginNames.filter((name) => defaults.has(name)),
  );
});

test('an unknown name is rejected with the closest known name', () => {
  assert.throws(() => read(['Priorty']), /unknown admission plugin Priorty; did you mean Priority\?/);
  assert.throws(() => read([], ['constructor']), /unknown admission plugin constructor$/);
});

test('enabling an unsupported plugin is an error; disabling one is not', () => {
  assert.throws(() => read(['EventRateLimit']), /this server does not have the admission plugin EventRateLimit/);
  assert.ok(read([], ['EventRateLimit']).size > 0);
});

test('a plugin cannot be both enabled and disabled, and NamespaceLifecycle cannot be disabled', () => {
  assert.throws(() => read(['Priority'], ['Priority']), /Priority cannot be both/);
  assert.throws(() => read([], ['NamespaceLifecycle']), /NamespaceLifecycle cannot be disabled/);
  assert.ok(read(['NamespaceLifecycle', 'NamespaceExists']).has('Priority'));
});

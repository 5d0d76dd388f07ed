import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry } from '../built-in.ts';
import type { Kind } from '../kind-entry.ts';
import { setDefaults } from '../objects/server-fields.ts';
import { findingsAgainst, podPolicyOf } from './pod-policy.ts';

/** Pods, and by level and version the reason why kube-apiserver 1.35 rejected them; null when it accepted them. */
interface Recorded {
  readonly pods: Readonly<Record<string, JsonObject>>;
  readonly answers: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

const file = new URL('../../recorded/pod-security.json', import.meta.url);
const { pods, answers } = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
const kind = builtInRegistry().find('', 'v1', 'pods') as Kind;

for (const [level, expected] of Object.entries(answers)) {
  test(`pods get the findings of kube-apiserver for ${level}`, () => {
    const [name = '', version = ''] = level.split(':');
    const prefix = 'pod-security.kubernetes.io/enforce';
    const policy = podPolicyOf({ [prefix]: name, [`${prefix}-version`]: version });
    assert.ok(policy !== undefined);
    for (const [pod, words] of Object.entries(expected)) {
      const object = { metadata: { name: pod }, spec: structuredClone(pods[pod] as JsonObject) };
      setDefaults(kind, object);
      const findings: string[] = findingsAgainst(policy.enforce, object).map((one) => `${one.reason} (${one.detail})`);
      assert.equal(findings.join(', ') || null, words, pod);
    }
  });
}

test('deprecated annotations are checked when the fields are absent', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/a';
  const pod = { metadata: { annotations: { [key]: 'unconfined' } }, spec: { containers: [{ name: 'a' }] } };
  const [finding] = findingsAgainst({ level: 'baseline', version: 'latest' }, pod);
  assert.deepEqual(finding, {
    reason: 'forbidden AppArmor profile',
    detail: `annotation must not set AppArmor profile type to "${key}="unconfined""`,
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry, type Kind } from '../index.ts';

const pods = builtInRegistry().find('', 'v1', 'pods') as Kind;

function podWith(spec: JsonObject): JsonObject {
  const metadata = { name: 'web', namespace: 'shop' };
  return { metadata, spec: { containers: [{ name: 'web', image: 'web' }], ...spec } };
}

function variable(fieldPath: string): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath };
  return podWith({ containers: [{ name: 'web', image: 'web', env: [{ name: 'A', valueFrom: { fieldRef } }] }] });
}

function volume(source: JsonObject): JsonObject {
  return podWith({ volumes: [{ name: 'data', ...source }] });
}

const target = (iqn: string) => volume({ iscsi: { targetPortal: '10.0.0.1', iqn, lun: 0 } });
const user = (runAsUserName: string) => podWith({ securityContext: { windowsOptions: { runAsUserName } } });
const file = (path: string) => volume({ configMap: { name: 'web', items: [{ key: 'a', path }] } });

function wordsOf(pod: JsonObject): string {
  return (pods.entry.validate?.(pod) ?? []).map(({ message }) => message).join('\n');
}

/** Texts of a size that took minutes with a pattern that restarts at every position. */
const MILLION = 1_000_000;
const LONG: Readonly<Record<string, JsonObject>> = {
  'a field path of opening brackets': variable(`${"['".repeat(MILLION)}x`),
  'a Windows user with a long domain': user(`${'a'.repeat(MILLION)}!\\u`),
  'a name of an iSCSI target that begins again and again': target('iqn.2000-01.'.repeat(MILLION / 10)),
  'a path of slashes in a volume': file(`a${'/'.repeat(MILLION)}b`),
};

for (const [title, pod] of Object.entries(LONG)) {
  test(`${title} is checked in time linear in its length`, () => {
    const before = process.threadCpuUsage();
    pods.entry.validate?.(pod);
    pods.entry.warn?.(pod);
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
  });
}

test('a field path may have one key of labels or annotations as its subscript', () => {
  for (const path of ["metadata.labels['app']", "metadata.annotations['example.com/a']", 'metadata.name']) {
    assert.doesNotMatch(wordsOf(variable(path)), /fieldPath|subscript|label key/, path);
  }
  assert.match(wordsOf(variable("metadata.name['a']")), /does not support subscript/);
  assert.match(wordsOf(variable("metadata.labels['']")), /name part must be non-empty/);
  assert.match(wordsOf(variable("metadata.labels[']")), /field label not supported: metadata\.labels\['\]/);
});

test('the name of an iSCSI target ends in a date, a domain, a colon and something', () => {
  for (const name of ['iqn.2001-04.com.example:storage', 'iqn.x,iqn.2001-04.com.example:a:b', 'iqn.2001-04.a::']) {
    assert.doesNotMatch(wordsOf(target(name)), /must be valid format/, name);
  }
  for (const name of ['iqn.2001-04.com.example:', 'iqn.2001-04.com.example', 'iqn.2001-04.:a', 'iqn.2001-04.a:b c']) {
    assert.match(wordsOf(target(name)), /must be valid format/, name);
  }
});

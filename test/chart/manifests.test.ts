import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { helm, whyNoHelm } from '../support/helm.ts';
import { findMistakes } from './support/find-mistakes.ts';
import { chart, fileOf, type Manifest, render, valueSets } from './support/render.ts';

describe('Manifests of the chart', { skip: whyNoHelm() ?? false }, () => {
  for (const values of valueSets) {
    test(`With the values ${values}, manifests have no unknown fields, no wrong types and all required fields.`, () => {
      const manifests = render(values);
      const mistakes = manifests.flatMap((one) => findMistakes(one).map((words) => `${nameOf(one)} ${words}`));
      assert.deepEqual(mistakes, []);
      assert.ok(manifests.length >= 15);
    });

    test(`With the values ${values}, each object occurs once, in the release's namespace, with the labels of the release.`, () => {
      const manifests = render(values);
      const names = manifests.map(nameOf);
      assert.deepEqual(names.toSorted(), [...new Set(names)].sort());
      for (const { metadata, kind } of manifests) {
        assert.equal(metadata.namespace, 'control', kind);
        for (const name of ['name', 'instance', 'component', 'part-of', 'version', 'managed-by']) {
          assert.ok(metadata.labels[`app.kubernetes.io/${name}`], `${kind} ${metadata.name} lacks the label ${name}`);
        }
      }
    });
  }

  test('helm lint passes with every set of values.', () => {
    for (const values of valueSets) {
      const args = ['lint', chart, '--strict', '--kube-version', '1.35.0', '-f', fileOf(values)];
      const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
      assert.equal(status, 0, `${values}: ${stdout}${stderr}`);
    }
  });
});

describe('findMistakes', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
  for (const [what, manifest, words] of [
    ['an unknown field', { ...service, spec: { ...service.spec, port: 80 } }, /unknown field spec.port/],
    ['a wrong type', { ...service, spec: { ports: [{ port: '80' }] } }, /port/],
    ['a missing field', { ...service, spec: { ports: [] } }, /spec.ports: Required value/],
    ['an unknown kind', { ...service, kind: 'Servise' }, /unknown kind Servise/],
    [
      'an unknown field of a foreign kind',
      { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', metadata: { name: 'a' }, spec: { self: {} } },
      /unknown field .spec.self/,
    ],
  ] as ReadonlyArray<[string, Manifest, RegExp]>) {
    test(`findMistakes reports ${what}.`, () => {
      assert.match(findMistakes(manifest).join(), words);
    });
  }
});

function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

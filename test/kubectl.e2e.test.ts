import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { findKubectl, type KubectlResult, kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('An unmodified kubectl', { skip: whyNoKubectl() ?? false }, () => {
  let tidegate: TestTidegate;
  let dir: string;
  const run = (...args: string[]) => kubectl(tidegate.kubeconfig, args, { HOME: dir });
  const ok = async (...args: string[]): Promise<string> => {
    const result: KubectlResult = await run(...args);
    assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };

  before(async () => {
    ({ tidegate } = await sharedSystem(COMPLETE));
    dir = mkdtempSync(join(tmpdir(), 'tidegate-kubectl-test-'));
    await until('the default namespace', async () => (await run('get', 'namespace', 'default')).code === 0);
  });
  after(async () => {
    await tidegate.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('kubectl creates, lists and deletes namespaces.', async () => {
    assert.equal(await ok('create', 'namespace', 'made'), 'namespace/made created\n');
    assert.match(await ok('get', 'ns', 'made'), /^NAME +STATUS +AGE\nmade +Active +\d+s\n$/);
    assert.equal(
      await ok('create', 'configmap', 'inside', '-n', 'made', '--from-literal=a=b'),
      'configmap/inside created\n',
    );
    assert.match(await ok('delete', 'namespace', 'made'), /namespace "made" deleted/);
    assert.match((await run('get', 'ns', 'made')).stderr, /namespaces "made" not found/);
  });

  test('kubectl creates ConfigMaps from literals and manifests, and shows them in every format.', async () => {
    await ok('create', 'configmap', 'literal', '--from-literal=greeting=hi');
    assert.match(await ok('get', 'cm', 'literal'), /^NAME +DATA +AGE\nliteral +1 +\d+s\n$/);
    assert.equal(await ok('get', 'cm', 'literal', '-o', 'jsonpath={.data.greeting}'), 'hi');
    const file = join(dir, 'manifest.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: manifest\ndata:\n  a: "1"\n');
    assert.equal(await ok('create', '-f', file), 'configmap/manifest created\n');
    assert.match(
      await ok('get', 'cm', 'manifest', '-o', 'yaml'),
      /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\n/,
    );
    assert.match(await ok('describe', 'configmap', 'manifest', '--show-events=false'), /a:\n----\n1\n/);
    assert.match((await run('create', '-f', file)).stderr, /configmaps "manifest" already exists/);
  });

  test('A manifest with an unknown field is rejected with the name of the field.', async () => {
    const file = join(dir, 'odd.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: odd\ndatum:\n  a: "1"\n');
    const { code, stderr } = await run('create', '-f', file);
    assert.equal(code, 1);
    assert.match(stderr, /unknown field "datum"/);
    assert.equal((await run('get', 'cm', 'odd')).code, 1);
  });

  test('kubectl edits, labels, annotates, patches and applies.', async () => {
    await ok('create', 'configmap', 'edited', '--from-literal=word=before');
    const editor = join(dir, 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed s/before/after/ "$1" >"$1.new" && mv "$1.new" "$1"\n', { mode: 0o700 });
    const edit = await kubectl(tidegate.kubeconfig, ['edit', 'configmap', 'edited'], {
      HOME: dir,
      EDITOR: editor,
    });
    assert.equal(edit.stdout, 'configmap/edited edited\n', edit.stderr);
    await ok('label', 'cm', 'edited', 'color=blue');
    await ok('annotate', 'cm', 'edited', 'note=hello');
    await ok('patch', 'cm', 'edited', '-p', '{"data":{"more":"yes"}}');
    const shown = JSON.parse(await ok('get', 'cm', '-l', 'color=blue', '-o', 'json'));
    assert.deepEqual(shown.items[0].data, { more: 'yes', word: 'after' });
    const file = join(dir, 'applied.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  a: "1"\n');
    assert.equal(await ok('apply', '-f', file), 'configmap/applied created\n');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  b: "2"\n');
    assert.equal(await ok('apply', '-f', file), 'configmap/applied configured\n');
    assert.equal(await ok('get', 'cm', 'applied', '-o', 'jsonpath={.data}'), '{"b":"2"}');
    assert.equal(await ok('apply', '-f', file), 'configmap/applied unchanged\n');
  });

  test('kubectl applies a changed custom resource again.', async () => {
    const verses = { type: 'object', properties: { verses: { type: 'integer' } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: verses } } };
    const version = { name: 'v1', served: true, storage: true, schema };
    const names = { plural: 'songs', kind: 'Song' };
    const file = join(dir, 'song.json');
    const spec = { group: 'music.example.com', scope: 'Namespaced', names, versions: [version] };
    const kind = 'CustomResourceDefinition';
    const metadata = { name: 'songs.music.example.com' };
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind, metadata, spec }));
    await ok('apply', '-f', file);
    await ok('wait', '--for=condition=Established', 'crd/songs.music.example.com', '--timeout=20s');
    const writeSong = (number: number) => {
      const object = {
        apiVersion: 'music.example.com/v1',
        kind: 'Song',
        metadata: { name: 'one' },
        spec: { verses: number },
      };
      writeFileSync(file, JSON.stringify(object));
    };
    writeSong(1);
    assert.equal(await ok('apply', '-f', file), 'song.music.example.com/one created\n');
    writeSong(2);
    assert.equal(await ok('apply', '-f', file), 'song.music.example.com/one configured\n');
    assert.equal(await ok('get', 'songs', 'one', '-o', 'jsonpath={.spec}'), '{"verses":2}');
    writeSong(3);
    assert.equal(
      await ok('apply', '--server-side', '--force-conflicts', '-f', file),
      'song.music.example.com/one serverside-applied\n',
    );
    assert.equal(await ok('get', 'songs', 'one', '-o', 'jsonpath={.spec}'), '{"verses":3}');
  });

  test('kubectl get -w shows changes by other clients.', async () => {
    const watcher = spawn(
      findKubectl(),
      ['get', 'configmaps', '-n', 'kube-public', '-w', '--field-selector=metadata.name=first'],
      {
        env: { ...process.env, KUBECONFIG: tidegate.kubeconfig, HOME: dir },
      },
    );
    let output = '';
    watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    try {
      await ok('create', 'configmap', 'first', '-n', 'kube-public', '--from-literal=a=b');
      await until('the first line', () => /\nfirst +1 /.test(output));
      await ok('patch', 'cm', 'first', '-n', 'kube-public', '-p', '{"data":{"c":"d"}}');
      await until('the change', () => /\nfirst +2 /.test(output));
      await ok('delete', 'cm', 'first', '-n', 'kube-public');
      await until('the deletion', () => output.trim().split('\n').length === 4);
    } finally {
      watcher.kill();
    }
    assert.match(output, /^NAME +DATA +AGE\n/);
  });

  test('kubectl api-resources, api-versions and explain work.', async () => {
    assert.match(await ok('api-resources'), /configmaps +cm +v1 +true +ConfigMap/);
    assert.match(await ok('explain', 'configmap.data'), /FIELD: data <map\[string\]string>/);
    assert.match(await ok('version', '-o', 'json'), /"gitVersion": "v1\.35/);
    assert.equal(await ok('get', '--raw', '/readyz'), 'ok');
  });

  test('kubectl delete waits for an object with a finalizer.', async () => {
    await ok('create', 'configmap', 'slow');
    await ok('patch', 'cm', 'slow', '-p', '{"metadata":{"finalizers":["example.com/hold"]}}');
    await ok('delete', 'cm', 'slow', '--wait=false');
    const waiting = run('wait', '--for=delete', 'configmap/slow', '--timeout=20s');
    await ok('patch', 'cm', 'slow', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    assert.equal((await waiting).code, 0);
  });
});

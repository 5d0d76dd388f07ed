import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { manifests } from './support/manifests.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const NAMESPACE = 'corpus';
/** kubectl before 1.34 describes these kinds with an unstable version, which is not served. */
const LATER = new Set(['IPAddress', 'ServiceCIDR', 'VolumeAttributesClass']);

/** Uses a manifest of every kind with the usual commands. */
describe('Every kind with an unmodified kubectl', { skip: whyNoKubectl() ?? false }, () => {
  const all = manifests();
  let system: RunningSystem;
  let home: string;
  let dir: string;
  before(async () => {
    system = await runningSystem();
    home = mkdtempSync(join(tmpdir(), 'tidegate-every-kind-'));
    dir = mkdtempSync(join(home, 'manifests-'));
    for (const [i, { object }] of all.entries()) writeFileSync(fileOf(i), JSON.stringify(object));
    await ok('create', 'namespace', NAMESPACE);
    await ok('create', 'serviceaccount', 'default');
  });
  after(async () => {
    await system?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const fileOf = (i: number) => join(dir, `${i}.json`);
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(system.tidegate.kubeconfig, ['-n', NAMESPACE, ...args], {
      HOME: home,
    });
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  /** kubectl prints one line for each object. */
  const assertEachPrinted = (text: string, word: RegExp) => assert.equal(text.match(word)?.length, all.length, text);

  test('Objects of every kind can be created.', async () =>
    assertEachPrinted(await ok('create', '-f', dir), / created$/gm));

  test('Objects of every kind can be listed and described.', async () => {
    const names = (await ok('get', '-f', dir, '-o', 'name')).trim().split('\n');
    assert.equal(names.length, all.length);
    // one row for each object; headings are in upper case
    assertEachPrinted(await ok('get', '-f', dir, '-o', 'wide'), /^[^A-Z\n].*$/gm);
    const files = all.flatMap(({ object }, i) => (LATER.has(String(object.kind)) ? [] : ['-f', fileOf(i)]));
    const described = await ok('describe', ...files);
    assert.equal(described.match(/^Name: /gm)?.length, files.length / 2, described);
  });

  test('Objects of every kind can be patched and applied, and have no diff afterwards.', async () => {
    const patch = '{"metadata":{"annotations":{"patched":"yes"}}}';
    assertEachPrinted(await ok('patch', '-f', dir, '--type=merge', '-p', patch), / patched$/gm);
    assertEachPrinted(await ok('apply', '-f', dir), / configured$/gm);
    assert.equal(await ok('diff', '-f', dir), '');
  });

  test('Every kind can be explained.', async () => {
    for (const { url, object } of all) {
      const resource = url.split('/').at(-2) as string;
      const text = await ok('explain', resource, `--api-version=${String(object.apiVersion)}`);
      assert.match(text, new RegExp(`KIND: +${String(object.kind)}\\n`));
    }
  });

  test('Objects of every kind can be deleted.', async () =>
    assertEachPrinted(await ok('delete', '-f', dir, '--wait=false'), / deleted/g));
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { manifests } from './support/manifests.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const NAMESPACE = 'corpus';
/** A kubectl before 1.34 describes them by a version that is not stable, and not served. */
const LATER = new Set(['IPAddress', 'ServiceCIDR', 'VolumeAttributesClass']);

/** A manifest of every kind, through what people do with manifests. */
describe('Every kind, by an unmodified kubectl', { skip: whyNoKubectl() ?? false }, () => {
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
  /** Whatever kubectl does with many, it tells of each. */
  const toldOfEach = (text: string, word: RegExp) => assert.equal(text.match(word)?.length, all.length, text);

  test('is created', async () => toldOfEach(await ok('create', '-f', dir), / created$/gm));

  test('is shown, in short and at length', async () => {
    const names = (await ok('get', '-f', dir, '-o', 'name')).trim().split('\n');
    assert.equal(names.length, all.length);
    // a row of each, and headings in capitals
    toldOfEach(await ok('get', '-f', dir, '-o', 'wide'), /^[^A-Z\n].*$/gm);
    const files = all.flatMap(({ object }, i) => (LATER.has(String(object.kind)) ? [] : ['-f', fileOf(i)]));
    const described = await ok('describe', ...files);
    assert.equal(described.match(/^Name: /gm)?.length, files.length / 2, described);
  });

  test('is patched, applied and then no different', async () => {
    const patch = '{"metadata":{"annotations":{"patched":"yes"}}}';
    toldOfEach(await ok('patch', '-f', dir, '--type=merge', '-p', patch), / patched$/gm);
    toldOfEach(await ok('apply', '-f', dir), / configured$/gm);
    assert.equal(await ok('diff', '-f', dir), '');
  });

  test('is explained', async () => {
    for (const { url, object } of all) {
      const resource = url.split('/').at(-2) as string;
      const text = await ok('explain', resource, `--api-version=${String(object.apiVersion)}`);
      assert.match(text, new RegExp(`KIND: +${String(object.kind)}\\n`));
    }
  });

  test('is deleted', async () => toldOfEach(await ok('delete', '-f', dir, '--wait=false'), / deleted/g));
});

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

/** The output of kubectl 1.35.4 with kube-apiserver 1.35.4, in files named after the explained field. */
const RECORDED = join(import.meta.dirname, 'explained');
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  '.openapiv2': ['--output', 'plaintext-openapiv2'],
  '.recursive': ['--recursive'],
};

describe('kubectl explain', { skip: whyNoKubectl() ?? false }, () => {
  let system: RunningSystem;
  let home: string;
  before(async () => {
    system = await sharedSystem();
    home = mkdtempSync(join(tmpdir(), 'tidegate-explain-'));
    const { client } = system;
    const definition = readFileSync(join(RECORDED, 'parts.definition.json'));
    await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
    await until(
      'the custom kind',
      async () => (await client.get('/openapi/v3/apis/spare.example.com/v1')).code === 200,
    );
  });
  after(async () => {
    await system.stop();
    rmSync(home, { recursive: true, force: true });
  });

  for (const file of readdirSync(RECORDED).filter((name) => name.endsWith('.txt'))) {
    const [, what = '', form = ''] = /^(.+?)(\.openapiv2|\.recursive)?\.txt$/.exec(file) ?? [];
    test(`kubectl explain ${what}${form === '' ? '' : ` (${form.slice(1)})`} prints the same as with kube-apiserver.`, async () => {
      const args = ['explain', what, ...(OPTIONS[form] ?? [])];
      const { code, stdout, stderr } = await kubectl(system.tidegate.kubeconfig, args, { HOME: home });
      assert.equal(code, 0, stderr);
      assert.equal(stdout, readFileSync(join(RECORDED, file), 'utf8'));
    });
  }
});

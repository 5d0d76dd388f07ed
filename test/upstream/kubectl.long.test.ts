import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate, temporaryDir } from '@tidegate/testkit';
import { Client } from '../support/client.ts';
import { untilSettled } from '../support/running-system.ts';
import { type Controllers, startControllers } from './controllers.ts';
import { lastLines } from './last-lines.ts';
import { readList } from './list.ts';
import { kubernetesModule, upstreamPrograms } from './programs.ts';
import { prepareShellTests, type ShellTests, whyNoShellTests } from './shell-tests.ts';

/** As the scripts' own runner starts kube-apiserver: webhooks and service accounts would need what is not there. */
const PLUGINS = [
  'ServiceAccount',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'StorageObjectInUseProtection',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
];

/** The object of a node that the scripts expect, without a kubelet. */
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: '127.0.0.1', annotations: { 'save-managers': 'true' } },
  status: { capacity: { memory: '1Gi' } },
};

describe("Kubernetes' shell tests of kubectl pass", () => {
  const place = temporaryDir('kubectl-functions');
  let why: string | undefined;
  let tidegate: TestTidegate | undefined;
  let controllers: Controllers | undefined;
  let shell: ShellTests;

  before(async () => {
    const programs = upstreamPrograms('kubectl', 'kube-controller-manager');
    why = 'why' in programs ? programs.why : whyNoShellTests();
    if ('why' in programs || why !== undefined) return;
    const module = kubernetesModule();
    const testdata = join(module, 'hack/testdata');
    const tokens = join(testdata, 'auth-tokens.csv');
    const [certificate, key] = ['ca.crt', 'ca.key'].map((name) => join(testdata, 'ca', name));
    tidegate = await startTidegate({
      args: [
        '--authorization-mode=RBAC,AlwaysAllow',
        `--disable-admission-plugins=${PLUGINS.join()}`,
        `--token-auth-file=${tokens}`,
        `--client-ca-file=${certificate}`,
      ],
    });
    const client = new Client(tidegate);
    await untilSettled(client);
    const made = await client.request('POST', '/api/v1/nodes', { body: NODE });
    client.close();
    assert.equal(made.code, 201, made.text);
    const signing = [`--cluster-signing-cert-file=${certificate}`, `--cluster-signing-key-file=${key}`];
    controllers = await startControllers(programs['kube-controller-manager'], tidegate, {
      dir: place.path,
      args: signing,
    });
    const [token = ''] = readFileSync(tokens, 'utf8').split(',');
    shell = prepareShellTests({ module, kubectl: programs.kubectl, dir: place.path }, tidegate, token);
  });
  after(async () => {
    await controllers?.stop();
    await tidegate?.stop();
    place.remove();
  });

  for (const name of readList('kubectl-functions.txt')) {
    test(name, async (t) => {
      if (why !== undefined) return t.skip(why);
      const { code, log } = await shell.run(name);
      assert.equal(code, 0, `${code === undefined ? 'it took too long' : `it ended with ${code}`}\n${lastLines(log)}`);
    });
  }
});

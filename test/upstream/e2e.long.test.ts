import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate, temporaryDir } from '@tidegate/testkit';
import { Client } from '../support/client.ts';
import { untilSettled } from '../support/running-system.ts';
import { type Controllers, startControllers } from './controllers.ts';
import { readList } from './list.ts';
import { keepNodeReady } from './one-node.ts';
import { upstreamPrograms } from './programs.ts';
import { type Complaint, runSpecs, type SpecPrograms } from './specs.ts';

describe("Kubernetes' own end-to-end tests pass", () => {
  const place = temporaryDir('end-to-end');
  let why: string | undefined;
  let programs: SpecPrograms;
  let tidegate: TestTidegate;
  let client: Client | undefined;
  let controllers: Controllers | undefined;

  before(async () => {
    const found = upstreamPrograms('kubectl', 'kube-controller-manager', 'e2e.test', 'ginkgo');
    if ('why' in found) {
      why = found.why;
      return;
    }
    programs = found;
    tidegate = await startTidegate();
    client = new Client(tidegate);
    await untilSettled(client);
    controllers = await startControllers(found['kube-controller-manager'], tidegate, {
      dir: place.path,
      // the rights of each controller are checked, too
      args: ['--use-service-account-credentials=true'],
    });
  });
  after(async () => {
    await controllers?.stop();
    client?.close();
    if (client !== undefined) await tidegate.stop();
    place.remove();
  });

  describe('without nodes', () => {
    specs('specs-without-nodes.txt', 0);
  });

  describe('with one node', () => {
    let node: { stop(): void } | undefined;
    before(async () => {
      if (client !== undefined) node = await keepNodeReady(client);
    });
    after(() => node?.stop());
    specs('specs-with-one-node.txt', 1);
  });

  /** They run together, in several processes; then each is judged. */
  function specs(list: string, nodes: number): void {
    const names = readList(list);
    let complaintOf: (name: string) => Complaint;
    before(async () => {
      if (why !== undefined) return;
      const { kubeconfig } = tidegate;
      complaintOf = await runSpecs(programs, { kubeconfig, names, nodes, dir: join(place.path, list) });
    });
    for (const name of names) {
      test(name, (t) => {
        if (why !== undefined) return t.skip(why);
        const complaint = complaintOf(name);
        if (complaint !== undefined) assert.fail(complaint);
      });
    }
  }
});

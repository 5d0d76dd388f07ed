import { after, before, describe } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { whyNoKubectl } from '../support/kubectl.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';
import { installSuite } from './support/install-suite.ts';

describe('The chart on a running Tidegate', { skip: whyNoHelm() ?? whyNoKubectl() ?? false }, () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  installSuite(() => system.tidegate.kubeconfig, ['existing-secrets']);
});

import { after, before, describe } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { whyNoKubectl } from '../support/kubectl.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { installSuite } from './support/install-suite.ts';

describe('The chart on a running Tidegate', { skip: whyNoHelm() ?? whyNoKubectl() ?? false }, () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem();
  });
  after(() => system?.stop());

  installSuite(() => system.tidegate.kubeconfig, ['autoscaling', 'load-balancer', 'existing-secrets']);
});

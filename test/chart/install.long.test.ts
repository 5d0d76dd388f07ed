import { after, before, describe } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { whyNoKubectl } from '../support/kubectl.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { installSuite } from './support/install-suite.ts';
import { valueSets } from './support/render.ts';

const kubeconfig = process.env.TIDEGATE_PEER_KUBECONFIG ?? '';
const why =
  kubeconfig === ''
    ? 'needs TIDEGATE_PEER_KUBECONFIG, the kubeconfig of an administrator of a kube-apiserver to install into'
    : undefined;

// the other sets use kinds that neither server has
const sets = valueSets.filter((values) => !['everything', 'cert-manager'].includes(values));

describe('The chart on a kube-apiserver', { skip: why ?? whyNoHelm() ?? whyNoKubectl() ?? false }, () => {
  installSuite(() => kubeconfig, sets);
});

describe('The chart on a running Tidegate', { skip: whyNoHelm() ?? whyNoKubectl() ?? false }, () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem();
  });
  after(() => system?.stop());

  installSuite(() => system.tidegate.kubeconfig, sets);
});

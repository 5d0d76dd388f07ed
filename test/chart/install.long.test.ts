import { describe } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { whyNoKubectl } from '../support/kubectl.ts';
import { installSuite } from './support/install-suite.ts';
import { valueSets } from './support/render.ts';

const kubeconfig = process.env.TIDEGATE_PEER_KUBECONFIG ?? '';
const why =
  kubeconfig === ''
    ? 'needs TIDEGATE_PEER_KUBECONFIG, the kubeconfig of an administrator of a kube-apiserver to install into'
    : undefined;

describe('The chart on a kube-apiserver', { skip: why ?? whyNoHelm() ?? whyNoKubectl() ?? false }, () => {
  // of the others the server does not know every kind
  installSuite(
    () => kubeconfig,
    valueSets.filter((values) => !['everything', 'cert-manager'].includes(values)),
  );
});

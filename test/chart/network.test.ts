import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { type Manifest, matchesLabels, ofKind, render, workloads } from './support/render.ts';

/** All connections of the design: from, to, port. Probes come from the node, and network policies do not apply to them. */
const DESIGNED = [
  'gateway store 7443',
  'gateway watch 7443',
  'health gateway 7443',
  'health store 7443',
  'health watch 7443',
  'store gateway 6443',
  'watch store 7443',
];
const BUNDLED = ['store nats 4222', 'store postgresql 5432', 'watch nats 4222'];
const TEST = ['test gateway 6443'];

interface Pod {
  readonly part: string;
  readonly labels: Record<string, string>;
  readonly ports: readonly number[];
}

describe('Network policies of the chart', { skip: whyNoHelm() ?? false }, () => {
  test('The policies allow the designed connections between the parts, and no others.', () => {
    const trial = [...DESIGNED, ...BUNDLED, ...TEST].sort();
    assert.deepEqual(connections(render('trial')), [...trial]);
    assert.deepEqual(connections(render('everything')), [...trial]);
    assert.deepEqual(connections(render('default')), [...DESIGNED, ...TEST].sort());
  });

  test('Each policy names only the other ends of designed connections, both for ingress and for egress.', () => {
    const trial = [...DESIGNED, ...BUNDLED, ...TEST].sort();
    assert.deepEqual(connections(render('trial'), mayEnter), trial);
    assert.deepEqual(
      connections(render('trial'), mayLeave).filter((one) => !one.startsWith('test ')),
      trial.filter((one) => !one.startsWith('test ')),
    );
  });

  test('No policies are rendered when they are switched off.', () => {
    for (const values of ['no-network-policies', 'minimal']) {
      assert.deepEqual(ofKind(render(values), 'NetworkPolicy'), []);
    }
  });

  test('Every pod of the release has one policy, which covers ingress and egress.', () => {
    for (const values of ['default', 'trial', 'everything', 'external']) {
      const manifests = render(values);
      for (const { part, labels } of pods(manifests).filter((one) => one.part !== 'test')) {
        const [policy, ...more] = policiesOf(manifests, labels);
        assert.deepEqual(policy?.spec.policyTypes, ['Ingress', 'Egress'], `${values} ${part}`);
        assert.equal(more.length, 0);
      }
    }
  });

  test('Egress from the release is allowed only to the ports of DNS, engines, collectors and back ends.', () => {
    const out = (values: string, part: string) => outsidePorts(render(values), part);
    assert.deepEqual(out('default', 'gateway'), [53]);
    assert.deepEqual(out('default', 'store'), [53, 5432]);
    assert.deepEqual(out('default', 'watch'), [53]);
    assert.deepEqual(out('default', 'health'), [53]);
    assert.deepEqual(out('external', 'store'), [53, 4222, 5432, 6432]);
    assert.deepEqual(out('external', 'watch'), [53, 4222]);
    assert.deepEqual(out('everything', 'gateway'), [53, 443, 4318, 10250]);
    assert.deepEqual(out('everything', 'store'), [53, 4318]);
  });

  test('The gateway accepts the clients that the values name and the parts of the release.', () => {
    const cidr = '192.0.2.0/24';
    const rules = policy(render('everything'), 'gateway').spec.ingress.filter((one: Manifest) => hasPort(one, 6443));
    const from = rules.flatMap((one: Manifest) => one.from);
    assert.ok(from.some((one: Manifest) => one.ipBlock?.cidr === cidr));
    assert.ok(
      rules.every((one: Manifest) => one.from !== undefined),
      'every rule names its clients',
    );
    const open = policy(render('default'), 'gateway').spec.ingress.filter((one: Manifest) => hasPort(one, 6443));
    assert.deepEqual(open, [{ ports: [{ protocol: 'TCP', port: 6443 }] }], 'all clients, when the values name none');
  });

  test('Prometheus can read the metrics of each part, and pods of the namespace can read the board.', () => {
    const manifests = render('default');
    for (const part of ['gateway', 'store', 'watch', 'health']) {
      const rules = policy(manifests, part).spec.ingress.filter((one: Manifest) => hasPort(one, 8081));
      assert.deepEqual(
        rules.map(({ from }: Manifest) => from),
        [[{ namespaceSelector: {} }]],
      );
    }
    const board = policy(manifests, 'health').spec.ingress.filter((one: Manifest) => hasPort(one, 6480));
    assert.deepEqual(board[0].from, [{ podSelector: {} }]);
  });
});

function pods(manifests: readonly Manifest[]): Pod[] {
  return workloads(manifests).map(({ part, labels, pod }) => ({
    part,
    labels,
    ports: (pod.containers[0].ports ?? []).map((one: Manifest) => one.containerPort),
  }));
}

/** Metrics and the board: ports that the parts do not call. */
const NOT_FOR_PARTS = [8081, 6480];

type Side = (manifests: readonly Manifest[], from: Pod, to: Pod, port: number) => boolean;

function connections(manifests: readonly Manifest[], ...sides: Side[]): string[] {
  const both = sides.length === 0 ? [mayLeave, mayEnter] : sides;
  const all = pods(manifests);
  const found = all.flatMap((from) =>
    all.flatMap((to) =>
      to.ports
        .filter((port) => from !== to && !NOT_FOR_PARTS.includes(port))
        .filter((port) => both.every((may) => may(manifests, from, to, port)))
        // the gateway accepts all clients; only the store and the test belong to the design
        .filter((port) => port !== 6443 || ['store', 'test'].includes(from.part))
        .map((port) => `${from.part} ${to.part} ${port}`),
    ),
  );
  return found.sort();
}

function mayLeave(manifests: readonly Manifest[], from: Pod, to: Pod, port: number): boolean {
  const policies = policiesOf(manifests, from.labels);
  const rules = policies.flatMap(({ spec }) => spec.egress ?? []);
  return policies.length === 0 || rules.some((rule: Manifest) => hasPort(rule, port) && selects(rule.to, to));
}

function mayEnter(manifests: readonly Manifest[], from: Pod, to: Pod, port: number): boolean {
  const policies = policiesOf(manifests, to.labels);
  const rules = policies.flatMap(({ spec }) => spec.ingress ?? []);
  return policies.length === 0 || rules.some((rule: Manifest) => hasPort(rule, port) && selects(rule.from, from));
}

/** Whether a peer of a rule selects the pod. Address blocks and other namespaces never select pods of this release. */
function selects(peers: readonly Manifest[] | undefined, pod: Pod): boolean {
  if (peers === undefined) return true;
  return peers.some(
    ({ podSelector, namespaceSelector, ipBlock }) =>
      ipBlock === undefined &&
      namespaceSelector === undefined &&
      matchesLabels(podSelector.matchLabels ?? {}, pod.labels),
  );
}

function hasPort({ ports }: Manifest, port: number): boolean {
  return ports.some((one: Manifest) => one.port === port && one.protocol === 'TCP');
}

function policiesOf(manifests: readonly Manifest[], labels: Record<string, string>): Manifest[] {
  return ofKind(manifests, 'NetworkPolicy').filter(({ spec }) => matchesLabels(spec.podSelector.matchLabels, labels));
}

function policy(manifests: readonly Manifest[], part: string): Manifest {
  const [pod] = pods(manifests).filter((one) => one.part === part);
  return policiesOf(manifests, pod?.labels ?? {})[0];
}

/** The ports of egress rules that allow targets outside of the release. */
function outsidePorts(manifests: readonly Manifest[], part: string): number[] {
  const rules = policy(manifests, part).spec.egress.filter(
    ({ to }: Manifest) => to === undefined || to.some((one: Manifest) => one.podSelector === undefined),
  );
  const ports = rules.flatMap((rule: Manifest) => rule.ports.map((one: Manifest) => one.port));
  return [...new Set<number>(ports)].sort((a, b) => a - b);
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { whyNoHelm } from '../support/helm.ts';
import { type Manifest, ofKind, render, takes, workloads } from './support/render.ts';

/** The connections that the design has, and no other: from, to, port. Kubelets ask probes from the node, which no policy sees. */
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

describe('The network policies of the chart', { skip: whyNoHelm() ?? false }, () => {
  test('let every designed connection through, and no other between the parts.', () => {
    const trial = [...DESIGNED, ...BUNDLED, ...TEST].sort();
    assert.deepEqual(connections(render('trial')), [...trial]);
    assert.deepEqual(connections(render('everything')), [...trial]);
    assert.deepEqual(connections(render('default')), [...DESIGNED, ...TEST].sort());
  });

  test('name on either side only the other end of a designed connection.', () => {
    const trial = [...DESIGNED, ...BUNDLED, ...TEST].sort();
    assert.deepEqual(connections(render('trial'), mayEnter), trial);
    assert.deepEqual(
      connections(render('trial'), mayLeave).filter((one) => !one.startsWith('test ')),
      trial.filter((one) => !one.startsWith('test ')),
    );
  });

  test('are missing where they are switched off.', () => {
    for (const values of ['no-network-policies', 'minimal']) {
      assert.deepEqual(ofKind(render(values), 'NetworkPolicy'), []);
    }
  });

  test('close every pod of the release in both directions.', () => {
    for (const values of ['default', 'trial', 'everything', 'external']) {
      const manifests = render(values);
      for (const { part, labels } of pods(manifests).filter((one) => one.part !== 'test')) {
        const [policy, ...more] = policiesOf(manifests, labels);
        assert.deepEqual(policy?.spec.policyTypes, ['Ingress', 'Egress'], `${values} ${part}`);
        assert.equal(more.length, 0);
      }
    }
  });

  test('lead outside only to DNS, engines and collectors, at their ports.', () => {
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

  test('let into the gateway whom values name, and the parts besides.', () => {
    const cidr = '192.0.2.0/24';
    const rules = policy(render('everything'), 'gateway').spec.ingress.filter((one: Manifest) => has(one, 6443));
    const from = rules.flatMap((one: Manifest) => one.from);
    assert.ok(from.some((one: Manifest) => one.ipBlock?.cidr === cidr));
    assert.ok(
      rules.every((one: Manifest) => one.from !== undefined),
      'nobody else',
    );
    const open = policy(render('default'), 'gateway').spec.ingress.filter((one: Manifest) => has(one, 6443));
    assert.deepEqual(open, [{ ports: [{ protocol: 'TCP', port: 6443 }] }], 'everybody, where values name nobody');
  });

  test('let Prometheus read metrics of each part, and pods of the namespace see the board.', () => {
    const manifests = render('default');
    for (const part of ['gateway', 'store', 'watch', 'health']) {
      const rules = policy(manifests, part).spec.ingress.filter((one: Manifest) => has(one, 8081));
      assert.deepEqual(
        rules.map(({ from }: Manifest) => from),
        [[{ namespaceSelector: {} }]],
      );
    }
    const board = policy(manifests, 'health').spec.ingress.filter((one: Manifest) => has(one, 6480));
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

/** Metrics and the board are for others than parts. */
const FOR_OTHERS = [8081, 6480];

type Side = (manifests: readonly Manifest[], from: Pod, to: Pod, port: number) => boolean;

function connections(manifests: readonly Manifest[], ...sides: Side[]): string[] {
  const both = sides.length === 0 ? [mayLeave, mayEnter] : sides;
  const all = pods(manifests);
  const found = all.flatMap((from) =>
    all.flatMap((to) =>
      to.ports
        .filter((port) => from !== to && !FOR_OTHERS.includes(port))
        .filter((port) => both.every((may) => may(manifests, from, to, port)))
        // whoever may call the gateway at all is no connection of the design
        .filter((port) => port !== 6443 || ['store', 'test'].includes(from.part))
        .map((port) => `${from.part} ${to.part} ${port}`),
    ),
  );
  return found.sort();
}

function mayLeave(manifests: readonly Manifest[], from: Pod, to: Pod, port: number): boolean {
  const policies = policiesOf(manifests, from.labels);
  const rules = policies.flatMap(({ spec }) => spec.egress ?? []);
  return policies.length === 0 || rules.some((rule: Manifest) => has(rule, port) && means(rule.to, to));
}

function mayEnter(manifests: readonly Manifest[], from: Pod, to: Pod, port: number): boolean {
  const policies = policiesOf(manifests, to.labels);
  const rules = policies.flatMap(({ spec }) => spec.ingress ?? []);
  return policies.length === 0 || rules.some((rule: Manifest) => has(rule, port) && means(rule.from, from));
}

/** Pods of this release: blocks of addresses and other namespaces are not them. */
function means(peers: readonly Manifest[] | undefined, pod: Pod): boolean {
  if (peers === undefined) return true;
  return peers.some(
    ({ podSelector, namespaceSelector, ipBlock }) =>
      ipBlock === undefined && namespaceSelector === undefined && takes(podSelector.matchLabels ?? {}, pod.labels),
  );
}

function has({ ports }: Manifest, port: number): boolean {
  return ports.some((one: Manifest) => one.port === port && one.protocol === 'TCP');
}

function policiesOf(manifests: readonly Manifest[], labels: Record<string, string>): Manifest[] {
  return ofKind(manifests, 'NetworkPolicy').filter(({ spec }) => takes(spec.podSelector.matchLabels, labels));
}

function policy(manifests: readonly Manifest[], part: string): Manifest {
  const [pod] = pods(manifests).filter((one) => one.part === part);
  return policiesOf(manifests, pod?.labels ?? {})[0];
}

/** The ports of rules that mean others than pods of the release. */
function outsidePorts(manifests: readonly Manifest[], part: string): number[] {
  const rules = policy(manifests, part).spec.egress.filter(
    ({ to }: Manifest) => to === undefined || to.some((one: Manifest) => one.podSelector === undefined),
  );
  const ports = rules.flatMap((rule: Manifest) => rule.ports.map((one: Manifest) => one.port));
  return [...new Set<number>(ports)].sort((a, b) => a - b);
}

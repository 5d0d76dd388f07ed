import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findingsAgainst } from '@tidegate/kinds';
import { whyNoHelm } from '../support/helm.ts';
import { fileOf, type Manifest, ofKind, render, takes, valueSets, workloads } from './support/render.ts';

describe('The pods of the chart', { skip: whyNoHelm() ?? false }, () => {
  for (const values of valueSets) {
    const manifests = whyNoHelm() === undefined ? render(values) : [];

    test(`have with the values ${values} no right that they do not need.`, () => {
      for (const { name, pod } of workloads(manifests)) {
        assert.equal(pod.automountServiceAccountToken, false, name);
        assert.equal(pod.enableServiceLinks, false, name);
        assert.deepEqual([pod.hostNetwork, pod.hostPID, pod.hostIPC], [undefined, undefined, undefined]);
        assert.equal(pod.securityContext.runAsNonRoot, true, name);
        assert.notEqual(pod.securityContext.runAsUser, 0, name);
        assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
        assert.deepEqual(pod.initContainers, undefined);
        for (const { securityContext } of pod.containers) {
          assert.deepEqual(securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
      }
      const accounts = ofKind(manifests, 'ServiceAccount');
      assert.ok(accounts.every((one) => one.automountServiceAccountToken === false));
      assert.deepEqual(
        manifests.filter(({ kind }) => /Role/.test(kind)),
        [],
      );
    });

    test(`are with the values ${values} such as a namespace takes that restricts pods as much as can be.`, () => {
      for (const { name, pod } of workloads(manifests)) {
        assert.deepEqual(findingsAgainst({ level: 'restricted', version: 'latest' }, { spec: pod }), [], name);
      }
    });

    test(`write with the values ${values} only where nothing of the host is.`, () => {
      for (const { name, pod } of workloads(manifests)) {
        assert.ok((pod.volumes ?? []).every((volume: Manifest) => volume.hostPath === undefined));
        for (const { name: mounted, readOnly } of pod.containers[0].volumeMounts) {
          const volume = (pod.volumes ?? []).find((one: Manifest) => one.name === mounted);
          const isOwn = volume === undefined || volume.emptyDir !== undefined;
          assert.ok(isOwn || readOnly === true, `${name} may write to ${mounted}`);
        }
      }
    });

    test(`say with the values ${values} what they need, and how much memory they may have.`, () => {
      for (const { pod } of workloads(manifests)) {
        const { requests, limits } = pod.containers[0].resources;
        assert.ok(requests.cpu && requests.memory && limits.memory);
        assert.equal(limits.cpu, undefined, 'a limit of CPU makes latency, and saves nothing');
      }
    });

    test(`mount with the values ${values} no private key of an authority.`, () => {
      for (const { pod, name } of workloads(manifests)) {
        for (const { secret } of pod.volumes ?? []) {
          const isAuthority = /-ca$|client-authority/.test(secret?.secretName ?? '');
          if (isAuthority) assert.deepEqual(secret.items, [{ key: 'ca.crt', path: 'ca.crt' }], name);
        }
      }
    });

    test(`need with the values ${values} no Secret that is neither made nor named in values.`, () => {
      const text = readFileSync(fileOf(values), 'utf8');
      for (const { name, pod } of workloads(manifests)) {
        for (const [secret, key] of secretsOf(pod)) {
          if (keysOf(manifests, secret)?.includes(key) || key === '*') continue;
          assert.ok(new RegExp(`\\b${secret}\\b`).test(text), `${name} needs ${secret}/${key}`);
          assert.equal(keysOf(manifests, secret), undefined, `${secret} has no ${key}`);
        }
      }
    });

    test(`are counted and kept with the values ${values} by autoscalers and budgets that fit.`, () => {
      const deployments = new Map(ofKind(manifests, 'Deployment').map((one) => [one.metadata.name, one]));
      for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler')) {
        const target = deployments.get(spec.scaleTargetRef.name);
        assert.equal(target.spec.replicas, undefined, 'two would say how many');
        assert.ok(spec.metrics.length > 0);
        for (const { resource } of spec.metrics) {
          assert.ok(target.spec.template.spec.containers[0].resources.requests[resource.name]);
        }
        deployments.delete(spec.scaleTargetRef.name);
      }
      for (const { spec } of deployments.values()) assert.ok(spec.replicas >= 1);
      for (const { spec } of ofKind(manifests, 'PodDisruptionBudget')) {
        const kept = workloads(manifests).filter(({ labels }) => takes(spec.selector.matchLabels, labels));
        assert.equal(kept.length, 1);
        assert.notEqual(kept[0]?.owner.spec.replicas, 1, 'a budget of one pod would hold up every drain');
      }
    });
  }

  test('are spread over nodes and zones, each release of a part for itself.', () => {
    for (const { labels, pod } of workloads(render('default')).filter(({ part }) => part !== 'test')) {
      assert.deepEqual(
        pod.topologySpreadConstraints.map(({ topologyKey }: Manifest) => topologyKey),
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      );
      for (const { labelSelector } of pod.topologySpreadConstraints)
        assert.ok(takes(labelSelector.matchLabels, labels));
    }
  });
});

function secretsOf(pod: Manifest): Array<[name: string, key: string]> {
  const mounted = (pod.volumes ?? []).flatMap(({ secret }: Manifest) =>
    secret === undefined ? [] : (secret.items ?? [{ key: '*' }]).map(({ key }: Manifest) => [secret.secretName, key]),
  );
  const read = pod.containers[0].env ?? [];
  const named = read.flatMap(({ valueFrom }: Manifest) => {
    const { secretKeyRef } = valueFrom ?? {};
    return secretKeyRef === undefined || secretKeyRef.optional ? [] : [[secretKeyRef.name, secretKeyRef.key]];
  });
  return [...mounted, ...named];
}

/** Undefined: nobody here makes it. */
function keysOf(manifests: readonly Manifest[], name: string): string[] | undefined {
  const secret = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name === name);
  if (secret !== undefined) return Object.keys({ ...secret.data, ...secret.stringData });
  const isMade = ofKind(manifests, 'Certificate').some(({ spec }) => spec.secretName === name);
  return isMade ? ['tls.crt', 'tls.key', 'ca.crt'] : undefined;
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findingsAgainst } from '@tidegate/kinds';
import { whyNoHelm } from '../support/helm.ts';
import { fileOf, type Manifest, matchesLabels, ofKind, render, valueSets, workloads } from './support/render.ts';

describe('Pods of the chart', { skip: whyNoHelm() ?? false }, () => {
  for (const values of valueSets) {
    const manifests = whyNoHelm() === undefined ? render(values) : [];

    test(`With the values ${values}, pods have no permissions that they do not need.`, () => {
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

    test(`With the values ${values}, pods satisfy the pod security level "restricted".`, () => {
      for (const { name, pod } of workloads(manifests)) {
        assert.deepEqual(findingsAgainst({ level: 'restricted', version: 'latest' }, { spec: pod }), [], name);
      }
    });

    test(`With the values ${values}, pods write only to emptyDir volumes and claims of their own.`, () => {
      for (const { name, pod } of workloads(manifests)) {
        assert.ok((pod.volumes ?? []).every((volume: Manifest) => volume.hostPath === undefined));
        for (const { name: mounted, readOnly } of pod.containers[0].volumeMounts) {
          const volume = (pod.volumes ?? []).find((one: Manifest) => one.name === mounted);
          const isOwn = volume === undefined || volume.emptyDir !== undefined;
          assert.ok(isOwn || readOnly === true, `${name} may write to ${mounted}`);
        }
      }
    });

    test(`With the values ${values}, pods request CPU and memory, and limit memory only.`, () => {
      for (const { pod } of workloads(manifests)) {
        const { requests, limits } = pod.containers[0].resources;
        assert.ok(requests.cpu && requests.memory && limits.memory);
        assert.equal(limits.cpu, undefined, 'a CPU limit adds latency and saves nothing');
      }
    });

    test(`With the values ${values}, pods mount no private key of a certificate authority.`, () => {
      for (const { pod, name } of workloads(manifests)) {
        for (const { secret } of pod.volumes ?? []) {
          const isAuthority = /-ca$|client-authority/.test(secret?.secretName ?? '');
          if (isAuthority) assert.deepEqual(secret.items, [{ key: 'ca.crt', path: 'ca.crt' }], name);
        }
      }
    });

    test(`With the values ${values}, every Secret that a pod uses is rendered by the chart or named in the values.`, () => {
      const text = readFileSync(fileOf(values), 'utf8');
      for (const { name, pod } of workloads(manifests)) {
        for (const [secret, key] of secretsOf(pod)) {
          if (keysOf(manifests, secret)?.includes(key) || key === '*') continue;
          assert.ok(new RegExp(`\\b${secret}\\b`).test(text), `${name} needs ${secret}/${key}`);
          assert.equal(keysOf(manifests, secret), undefined, `${secret} has no ${key}`);
        }
      }
    });

    test(`With the values ${values}, autoscalers and disruption budgets match their Deployments.`, () => {
      const deployments = new Map(ofKind(manifests, 'Deployment').map((one) => [one.metadata.name, one]));
      for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler')) {
        const target = deployments.get(spec.scaleTargetRef.name);
        assert.equal(target.spec.replicas, undefined, 'the autoscaler sets the number of replicas');
        assert.ok(spec.metrics.length > 0);
        for (const { resource } of spec.metrics) {
          assert.ok(target.spec.template.spec.containers[0].resources.requests[resource.name]);
        }
        deployments.delete(spec.scaleTargetRef.name);
      }
      for (const { spec } of deployments.values()) assert.ok(spec.replicas >= 1);
      for (const { spec } of ofKind(manifests, 'PodDisruptionBudget')) {
        const kept = workloads(manifests).filter(({ labels }) => matchesLabels(spec.selector.matchLabels, labels));
        assert.equal(kept.length, 1);
        assert.notEqual(kept[0]?.owner.spec.replicas, 1, 'a budget for a single pod would block every node drain');
      }
    });
  }

  test('The pods of each part are spread over nodes and zones.', () => {
    for (const { labels, pod } of workloads(render('default')).filter(({ part }) => part !== 'test')) {
      assert.deepEqual(
        pod.topologySpreadConstraints.map(({ topologyKey }: Manifest) => topologyKey),
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      );
      for (const { labelSelector } of pod.topologySpreadConstraints)
        assert.ok(matchesLabels(labelSelector.matchLabels, labels));
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

/** Undefined when the chart does not render the Secret. */
function keysOf(manifests: readonly Manifest[], name: string): string[] | undefined {
  const secret = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name === name);
  if (secret !== undefined) return Object.keys({ ...secret.data, ...secret.stringData });
  const isMade = ofKind(manifests, 'Certificate').some(({ spec }) => spec.secretName === name);
  return isMade ? ['tls.crt', 'tls.key', 'ca.crt'] : undefined;
}

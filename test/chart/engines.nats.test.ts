import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { natsBinary, temporaryDir, whyNoNats } from '@tidegate/testkit';
import { whyNoHelm } from '../support/helm.ts';
import { ofKind, render, workloads } from './support/render.ts';

const noNats = (await whyNoNats()) ?? false;

describe('Bundled engines', { skip: whyNoHelm() ?? false }, () => {
  test('NATS accepts its configuration, which requires the password of the URL.', { skip: noNats }, async () => {
    const secret = ofKind(render('trial'), 'Secret').find(({ metadata }) => metadata.name.endsWith('-nats'));
    const { password, url, 'nats.conf': configuration } = secret.stringData;
    assert.equal(url, `nats://tidegate:${password}@trial-tidegate-nats.control.svc:4222`);
    assert.match(configuration, new RegExp(`user: tidegate, password: "${password}"`));
    const dir = temporaryDir('nats-conf');
    const file = join(dir.path, 'nats.conf');
    writeFileSync(file, configuration.replace('/tmp', dir.path));
    // -t only validates the file
    execFileSync(await natsBinary(), ['-t', '-c', file], { stdio: 'pipe' });
    dir.remove();
  });

  test('The URL that the stores get matches the settings of PostgreSQL, with any characters in the password.', () => {
    const manifests = render('everything');
    const secret = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name.endsWith('-postgresql'));
    const url = new URL(secret.stringData.url);
    assert.equal(decodeURIComponent(url.password), 'p@ss wo/rd+1');
    assert.equal(secret.stringData.password, 'p@ss wo/rd+1');
    const [engine] = workloads(manifests).filter(({ part }) => part === 'postgresql');
    const env = engine?.pod.containers[0].env as Array<{ name: string; value?: string }>;
    const of = (name: string) => env.find((one) => one.name === name)?.value;
    assert.deepEqual([of('POSTGRES_USER'), `/${of('POSTGRES_DB')}`], [url.username, url.pathname]);
    assert.equal(url.host, 'control-plane-postgresql.control.svc:5432');
  });

  test('The volume and the Secret of PostgreSQL outlive the release, and the data is in a folder of the volume.', () => {
    const [set] = ofKind(render('trial'), 'StatefulSet');
    assert.deepEqual(set.spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' });
    const [container] = set.spec.template.spec.containers;
    const { mountPath } = container.volumeMounts.find(({ name }: { name: string }) => name === 'data');
    const { value } = container.env.find(({ name }: { name: string }) => name === 'PGDATA');
    assert.ok(value.startsWith(`${mountPath}/`), 'the root of the volume may contain lost+found');
    const secret = ofKind(render('trial'), 'Secret').find(({ metadata }) => metadata.name.endsWith('-postgresql'));
    assert.equal(secret.metadata.annotations['helm.sh/resource-policy'], 'keep');
  });
});

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { Installation } from './installation.ts';
import { type Manifest, render } from './render.ts';

const KINDS = [
  'deployments',
  'statefulsets',
  'services',
  'secrets',
  'serviceaccounts',
  'poddisruptionbudgets',
  'networkpolicies',
  'horizontalpodautoscalers',
  'ingresses',
].join();
/** The claim that the StatefulSet controller creates for its first pod. */
const CLAIM = 'data-trial-tidegate-postgresql-0';

/** The life cycle of a release on an API server, and installations with several sets of values. */
export function installSuite(kubeconfig: () => string, sets: readonly string[]): void {
  test('The chart can be installed, upgraded, rolled back and uninstalled, and its data is kept.', async () => {
    const at = new Installation(kubeconfig(), 'life');
    await at.install('trial');
    await at.kubectl('create', '-f', await claimFile(at));
    const first = await at.objects('secrets');
    assert.equal((await at.objects('deployments')).get('trial-tidegate-store')?.spec.replicas, 2);

    await at.helm('upgrade', '--reuse-values', '--set', 'parts.replicas=3');
    assert.equal((await at.objects('deployments')).get('trial-tidegate-store')?.spec.replicas, 3);
    assert.deepEqual(dataOf(await at.objects('secrets')), dataOf(first), 'an upgrade changes no Secret');

    await at.helm('upgrade', '--reuse-values', '--set', 'gateway.serverNames={api.example.com}');
    const renamed = await at.objects('secrets');
    assert.ok(certificate(renamed, 'trial-tidegate-serving').checkHost('api.example.com'));
    assert.deepEqual(
      changed(first, renamed),
      ['trial-tidegate-serving'],
      'only the serving certificate is generated again',
    );
    assert.equal(authorityOf(renamed), authorityOf(first));

    await at.helm('rollback', '1');
    assert.equal((await at.objects('deployments')).get('trial-tidegate-store')?.spec.replicas, 2);
    assert.deepEqual(changed(first, await at.objects('secrets')), []);

    await at.helm('uninstall');
    assert.deepEqual(await remaining(at), ['trial-tidegate-postgresql'], 'the password stays with the volume');
    assert.ok((await at.objects('persistentvolumeclaims')).has(CLAIM));

    await at.install('trial');
    const again = await at.objects('secrets');
    const name = 'trial-tidegate-postgresql';
    assert.deepEqual(again.get(name)?.data, first.get(name)?.data, 'the password still fits the volume');
    await at.helm('uninstall');
    at.close();
  });

  test('An upgrade renews certificates in the last tenth of their validity.', async () => {
    const at = new Installation(kubeconfig(), 'age');
    await at.install('default');
    const first = await at.objects('secrets');
    const days = (count: number) => `tidegate.io/made=${Math.floor(Date.now() / 1000) - count * 86_400}`;
    await at.kubectl('annotate', '--overwrite', 'secret', 'trial-tidegate-peer-store', days(0.9 * 1095 + 1));
    await at.kubectl('annotate', '--overwrite', 'secret', 'trial-tidegate-peer-watch', days(0.9 * 1095 - 1));
    await at.helm('upgrade', '--reuse-values');
    const second = await at.objects('secrets');
    assert.deepEqual(changed(first, second), ['trial-tidegate-peer-store']);
    assert.ok(certificate(second, 'trial-tidegate-peer-store').checkIssued(authority(second, 'peer-ca')));
    await at.helm('uninstall');
    at.close();
  });

  test('The commands in the release notes write a kubeconfig for the administrator of the gateway.', async () => {
    const at = new Installation(kubeconfig(), 'notes');
    const notes = await at.install('trial');
    const commands = notes.split('\n').filter((line) => /^ {2}(kubectl|export)/.test(line));
    const login = commands.filter((line) => /get secret|kubectl config/.test(line));
    assert.equal(login.length, 6);
    const { code, stderr } = await at.shell(login);
    assert.equal(code, 0, stderr);
    const written = at.fileText('tidegate.kubeconfig');
    const secrets = await at.objects('secrets');
    const text = (name: string, key: string) =>
      Buffer.from(secrets.get(name)?.data[key] as string, 'base64').toString();
    assert.ok(written.includes(`token: ${text('trial-tidegate-tokens', 'admin-token')}`));
    assert.ok(written.includes(secrets.get('trial-tidegate-serving')?.data['ca.crt']));
    assert.match(written, /server: https:\/\/localhost:6443/);
    assert.match(notes, /WARNING: the bundled PostgreSQL is for trials/);
    const services = await at.objects('services');
    for (const [, service = '', port] of notes.matchAll(/port-forward service\/(\S+) \d+:(\d+)/g)) {
      assert.deepEqual(
        services.get(service)?.spec.ports.map((one: Manifest) => one.port),
        [Number(port)],
      );
    }
    await at.helm('uninstall');
    at.close();
  });

  for (const values of sets) {
    test(`The server accepts all objects of the values ${values} without warnings.`, async () => {
      const at = new Installation(kubeconfig(), values);
      await at.install(values);
      const wanted = render(values).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
      const names = (manifests: readonly Manifest[]) =>
        manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      const existing = names(await at.list(KINDS));
      assert.deepEqual(
        names(wanted).filter((name) => !existing.includes(name)),
        [],
      );
      await at.helm('uninstall');
      assert.deepEqual(await remaining(at), values === 'trial' ? ['trial-tidegate-postgresql'] : []);
      at.close();
    });
  }
}

/** The remaining objects of the release, without Helm's own records. */
async function remaining(at: Installation): Promise<string[]> {
  return (await at.list(KINDS))
    .map(({ metadata }) => metadata.name as string)
    .filter((name) => name.startsWith('trial-'));
}

type Secrets = ReadonlyMap<string, Manifest>;

function dataOf(secrets: Secrets): Array<[string, unknown]> {
  return [...secrets].filter(([name]) => name.startsWith('trial-')).map(([name, { data }]) => [name, data]);
}

function changed(before: Secrets, after: Secrets): string[] {
  const known = new Map(dataOf(before).map(([name, data]) => [name, JSON.stringify(data)]));
  return dataOf(after)
    .filter(([name, data]) => known.get(name) !== JSON.stringify(data))
    .map(([name]) => name);
}

function certificate(secrets: Secrets, name: string): X509Certificate {
  return new X509Certificate(Buffer.from(secrets.get(name)?.data['tls.crt'], 'base64'));
}

function authority(secrets: Secrets, name: string): X509Certificate {
  return certificate(secrets, `trial-tidegate-${name}`);
}

function authorityOf(secrets: Secrets): string {
  return authority(secrets, 'ca').fingerprint256;
}

/** Writes the claim of the StatefulSet's claim template to a file. */
async function claimFile(at: Installation): Promise<string> {
  const [template] =
    (await at.objects('statefulsets')).get('trial-tidegate-postgresql')?.spec.volumeClaimTemplates ?? [];
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...template };
  const { status: _, ...whole } = { ...claim, metadata: { ...template.metadata, name: CLAIM } };
  return at.write('claim.json', JSON.stringify(whole));
}

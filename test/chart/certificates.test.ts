import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { callers } from '@tidegate/wire';
import { whyNoHelm } from '../support/helm.ts';
import { PARTS } from './support/option-tables.ts';
import { type Manifest, ofKind, render, valueSets, workloads } from './support/render.ts';

const generatedByHelm = valueSets.filter((values) => !['cert-manager', 'existing-secrets'].includes(values));

interface Pair {
  readonly cert: X509Certificate;
  readonly ca: X509Certificate;
  readonly fits: boolean;
}

function pair(manifests: readonly Manifest[], end: string): Pair {
  const secret = ofKind(manifests, 'Secret').find(({ metadata }) => metadata.name.endsWith(end));
  const pem = (name: string) => Buffer.from(secret.data[name], 'base64').toString();
  const cert = new X509Certificate(pem('tls.crt'));
  const fits = cert.checkPrivateKey(createPrivateKey(pem('tls.key')));
  return { cert, ca: new X509Certificate(pem('ca.crt')), fits };
}

const commonName = (cert: X509Certificate) => /^CN=(.*)$/m.exec(cert.subject)?.[1];

describe('Certificates that Helm generates', { skip: whyNoHelm() ?? false }, () => {
  for (const values of generatedByHelm) {
    test(`With the values ${values}, certificates are signed by their authority, match their keys and are valid for three years.`, () => {
      const manifests = render(values);
      const secrets = ofKind(manifests, 'Secret').filter(({ type }) => type === 'kubernetes.io/tls');
      for (const { metadata } of secrets.filter((one) => !one.metadata.name.endsWith('-ca'))) {
        const { cert, ca, fits } = pair(manifests, metadata.name);
        assert.ok(fits && cert.checkIssued(ca) && cert.verify(ca.publicKey), metadata.name);
        assert.equal(cert.ca, false);
        assert.notEqual(cert.subject, ca.subject);
        const days = (cert.validToDate.getTime() - cert.validFromDate.getTime()) / 86_400_000;
        assert.equal(Math.round(days), 1095);
      }
    });
  }

  test('The common name of a peer certificate is the name of its part, and the contracts allow calls from parts only.', () => {
    const manifests = render('trial');
    for (const part of PARTS) assert.equal(commonName(pair(manifests, `-peer-${part}`).cert), part);
    const named = new Set(Object.values(callers).flat());
    assert.deepEqual(
      [...named].filter((part) => !(PARTS as readonly string[]).includes(part)),
      [],
    );
  });

  for (const values of ['trial', 'everything']) {
    test(`With the values ${values}, certificates are valid for every DNS name by which a part is called.`, () => {
      const manifests = render(values);
      for (const { part, pod } of workloads(manifests)) {
        for (const argument of (pod.containers[0].args ?? []) as string[]) {
          const match = /^--([a-z-]+)=dns:\/\/\/([^:]+):7443$/.exec(argument);
          if (match === null) continue;
          for (const called of CALLED[match[1] as keyof typeof CALLED]) {
            const name = match[2] as string;
            assert.ok(pair(manifests, `-peer-${called}`).cert.checkHost(name), `${part} calls ${called} ${name}`);
          }
        }
      }
    });
  }

  test('Peers, serving and front proxy have separate authorities, so that no certificate is accepted for another purpose.', () => {
    const manifests = render('trial');
    const authorities = ['-peer-gateway', '-serving', '-front-proxy'].map(
      (end) => pair(manifests, end).ca.fingerprint256,
    );
    assert.equal(new Set(authorities).size, 3);
  });

  test('The serving certificate covers the names of the Service, the names of a cluster and the names in the values.', () => {
    const { cert } = pair(render('everything'), '-serving');
    for (const name of [
      'control-plane-gateway',
      'control-plane-gateway.control.svc',
      'control-plane-gateway.control.svc.example.internal',
      'kubernetes.default.svc',
      'localhost',
      'api.example.com',
      'eu.api.example.com',
    ]) {
      assert.ok(cert.checkHost(name), name);
    }
    assert.ok(cert.checkIP('203.0.113.7'));
    assert.equal(cert.checkHost('other.example.com'), undefined);
  });

  test('The stores publish the common name of the front proxy certificate as the allowed name.', () => {
    const manifests = render('trial');
    const { cert } = pair(manifests, '-front-proxy');
    for (const { part, pod } of workloads(manifests).filter((one) => ['gateway', 'store'].includes(one.part))) {
      assert.ok(pod.containers[0].args.includes(`--requestheader-allowed-names=${commonName(cert)}`), part);
    }
  });
});

/** The options that contain DNS names, and the parts that are called by them. */
const CALLED = { 'store-addresses': ['store'], 'watch-addresses': ['watch'], targets: ['gateway', 'store', 'watch'] };

describe('Certificates from other sources', { skip: whyNoHelm() ?? false }, () => {
  test('cert-manager issues the same certificates, from the same authorities, into the same Secrets.', () => {
    const manifests = render('cert-manager');
    assert.deepEqual(
      ofKind(manifests, 'Secret').filter(({ type }) => type === 'kubernetes.io/tls'),
      [],
    );
    const helm = render('cert-manager', 'certificates.mode="helm"');
    const wanted = ofKind(helm, 'Secret').filter(({ type }) => type === 'kubernetes.io/tls');
    const made = new Map(ofKind(manifests, 'Certificate').map((one) => [one.spec.secretName, one]));
    assert.deepEqual([...made.keys()].sort(), wanted.map(({ metadata }) => metadata.name).sort());
    for (const { metadata } of wanted) {
      const { spec } = made.get(metadata.name);
      const { cert } = pair(helm, metadata.name);
      assert.equal(spec.commonName, commonName(cert));
      assert.equal(spec.isCA ?? false, cert.ca);
      for (const name of spec.dnsNames ?? []) assert.ok(cert.checkHost(name), `${metadata.name} ${name}`);
      for (const address of spec.ipAddresses ?? []) assert.ok(cert.checkIP(address), `${metadata.name} ${address}`);
      const issuers = ofKind(manifests, 'Issuer').map((one) => one.metadata.name);
      assert.ok(issuers.includes(spec.issuerRef.name));
    }
  });

  test('With existing Secrets, the chart renders no Secrets and no Certificates.', () => {
    assert.deepEqual(ofKind(render('existing-secrets'), 'Secret'), []);
    assert.deepEqual(ofKind(render('existing-secrets'), 'Certificate'), []);
  });

  test('Without a front proxy and client certificates, their options are not set.', () => {
    const manifests = render(
      'existing-secrets',
      'certificates.existing.frontProxy=""',
      'certificates.existing.clientAuthority=""',
    );
    for (const { pod } of workloads(manifests)) {
      const args: string[] = pod.containers[0].args;
      assert.deepEqual(
        args.filter((one) => /client-ca|requestheader|proxy-client/.test(one)),
        [],
      );
    }
  });
});

describe('Tokens and signing keys', { skip: whyNoHelm() ?? false }, () => {
  test('The token file has an administrator and the controllers, under the user name to which the gateway grants leases.', () => {
    const secret = ofKind(render('trial'), 'Secret').find(({ metadata }) => metadata.name.endsWith('-tokens'));
    const { 'tokens.csv': lines, 'admin-token': admin, 'controllers-token': controllers } = secret.stringData;
    assert.deepEqual(lines.trim().split('\n'), [
      `${admin},admin,admin,"system:masters"`,
      `${controllers},system:kube-controller-manager,system:kube-controller-manager,"system:masters"`,
    ]);
    assert.notEqual(admin, controllers);
    assert.ok(Math.min(admin.length, controllers.length) >= 32);
  });

  test('Service account tokens are signed with an EC key of their own.', () => {
    const secret = ofKind(render('trial'), 'Secret').find(({ metadata }) =>
      metadata.name.endsWith('-service-accounts'),
    );
    const key = createPrivateKey(Buffer.from(secret.data['service-account.key'], 'base64'));
    assert.equal(key.asymmetricKeyType, 'ec');
  });
});

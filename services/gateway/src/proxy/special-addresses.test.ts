import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, parseAddress, parseLenientAddress, unmapped } from '@tidegate/addresses';
import { formsOf, spellingsOf } from '@tidegate/addresses/testing';
import { builtInRegistry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { RemoteTargets } from '../aggregation/remote-targets.ts';
import { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import { ServiceTargets } from '../callouts/service-targets.ts';
import { WebhookCalls } from '../callouts/webhook-calls.ts';
import { Backends } from './backends.ts';

const of = (text: string): Address => parseAddress(text) ?? assert.fail(text);

/** An address of each reason in the table, and of each end of its ranges. */
const IPV4 = [
  ...['0.0.0.0', '0.1.2.3', '0.255.255.255', '127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254'],
  ...['224.0.0.1', '239.255.255.255', '255.255.255.255', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
].map(of);
const IPV6 = ['::', '::1', 'fe80::1', 'febf::1', 'ff02::1', 'ff12::1', 'ffff::1', 'fd00:ec2::254', 'fd20:ce::254'].map(
  of,
);
const LOCAL_RULES = ['64:ff9b:1::a00:1'].map(of);
const CARRIED = IPV4.flatMap((address) => formsOf(address).map(([, form]) => form));
const CLOSED = [...IPV4, ...IPV6, ...LOCAL_RULES, ...CARRIED];

/** Texts that are none, although another parser may read them as one of these addresses. */
const NO_TEXTS = [
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.01',
  '[::1]',
  '::1%lo',
  'fe80::1%eth0',
  '::ffff:127.1',
];

const TEXTS = [...CLOSED.flatMap(spellingsOf), ...NO_TEXTS];

/** As for webhooks and aggregated API servers, which may run on this machine. */
const BESIDE = ['127.0.0.0/8', '::1/128'];
const isBeside = (text: string): boolean => /^(127\.|::1$)/.test(unmapped(of(text)).toString());

test('Special addresses are refused in every spelling, and in every IPv6 form that embeds them.', () => {
  const addresses = new AllowedAddresses([]);
  for (const text of TEXTS)
    assert.throws(() => addresses.checked(text), { code: 400, message: 'address not allowed' }, text);
});

test('A name that resolves to a special address is refused, even if it has others.', async () => {
  for (const address of CLOSED) {
    const addresses = new AllowedAddresses([], async () => ['10.0.0.1', address.toString()]);
    await assert.rejects(addresses.of('name'), { message: 'address not allowed' }, address.toString());
  }
});

test('IPv6 forms that embed an ordinary address are allowed.', () => {
  const addresses = new AllowedAddresses([]);
  for (const usual of ['10.0.0.7', '8.8.8.8', '100.64.0.1', '192.168.0.1'].map(of)) {
    for (const address of [usual, ...formsOf(usual).map(([, form]) => form)]) {
      for (const text of spellingsOf(address)) assert.equal(addresses.checked(text), text);
    }
  }
});

test('Webhooks and remote API servers may run on this machine, and at no other special address.', async () => {
  const addresses = new AllowedAddresses(BESIDE);
  const services = new ServiceTargets(() => Promise.reject(new Error('nobody may look')));
  const webhooks = new WebhookCalls(addresses, services, (words) => found.push(words));
  const found: string[] = [];
  for (const address of [...IPV4, ...IPV6, ...LOCAL_RULES].filter((one) => !isBeside(one.toString()))) {
    for (const text of [address, ...(address.bits === 32 ? formsOf(address).map(([, form]) => form) : [])].map(
      String,
    )) {
      const host = text.includes(':') ? `[${text}]` : text;
      const config = { url: `https://${host}/` };
      await assert.rejects(webhooks.call({ config, body: {}, timeoutMs: 5000, maxAnswerBytes: 10 }));
      assert.match(found.pop() ?? '', /: address not allowed$/, text);
      const remote = new RemoteTargets(
        { proxyClientCertFile: '', proxyClientKeyFile: '', aggregatedServiceAddresses: [`a/b=${host}:443`] },
        { services, addresses },
      );
      const service = { namespace: 'a', name: 'b', port: 443, caBundle: '', insecure: false };
      await assert.rejects(remote.backend(service, 1), { message: 'address not allowed' }, text);
    }
  }
  webhooks.close();
});

test('Kubelets at special addresses are refused, by address and by name.', async () => {
  let node: JsonObject = {};
  const config = {
    proxyAllowAddresses: [],
    kubeletClientCertificate: '',
    kubeletClientKey: '',
    kubeletCertificateAuthority: '',
    kubeletPreferredAddressTypes: ['InternalIP', 'Hostname'],
    kubeletTimeout: 1,
  };
  const backends = new Backends(config, { objects: { core: async () => node } } as never);
  for (const type of ['InternalIP', 'Hostname']) {
    for (const address of CLOSED.map(String)) {
      node = { status: { addresses: [{ type, address }] } };
      await assert.rejects(backends.kubelet('node'), { message: 'address not allowed' }, address);
    }
  }
});

const registry = builtInRegistry();

function problems(group: string, resource: string, object: JsonObject): string[] {
  const kind = registry.find(group, 'v1', resource) ?? assert.fail(resource);
  return (kind.entry.validate?.(object) ?? []).map(({ message }) => message);
}

/** The words for an address in every object that has addresses to which traffic goes. */
function told(text: string): string[][] {
  const address = parseLenientAddress(text) ?? assert.fail(text);
  const type = unmapped(address).family;
  return [
    problems('', 'endpoints', { subsets: [{ addresses: [{ ip: text }], ports: [{ port: 80, protocol: 'TCP' }] }] }),
    problems('discovery.k8s.io', 'endpointslices', {
      addressType: type,
      endpoints: [{ addresses: [text] }],
      ports: [],
    }),
    problems('', 'services', {
      spec: { type: 'ClusterIP', sessionAffinity: 'None', ports: [{ port: 80, protocol: 'TCP' }], externalIPs: [text] },
    }),
  ].map((all) => all.filter((words) => /may not be/.test(words)));
}

const AS_IN_KUBERNETES: ReadonlyArray<readonly [pattern: RegExp, addresses: readonly string[]]> = [
  [/may not be unspecified \(.+\)/, ['0.0.0.0', '::', '::ffff:0.0.0.0']],
  [/may not be in the loopback range/, ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']],
  [/may not be in the link-local range/, ['169.254.169.254', 'fe80::1', 'febf::1', '::ffff:169.254.169.254']],
  [/may not be in the link-local multicast range/, ['224.0.0.1', 'ff02::1', 'ff12::1', '::ffff:224.0.0.1']],
];

test('Objects with an address that Kubernetes refuses are rejected, in every spelling.', () => {
  for (const [pattern, addresses] of AS_IN_KUBERNETES) {
    for (const text of addresses.flatMap((one) => spellingsOf(of(one)))) {
      for (const words of told(text)) {
        assert.equal(words.length, 1, `${text}: ${words}`);
        assert.match(words[0] ?? '', pattern, text);
      }
    }
  }
  for (const text of ['0127.0.0.1', '127.000.000.001', '::ffff:127.0.0.01']) {
    for (const words of told(text)) assert.match(words[0] ?? '', /loopback/, text);
  }
});

test('Objects may have every other address, as in Kubernetes; it is checked before a connection.', () => {
  const others = ['0.1.2.3', '239.0.0.1', '100.100.100.200', 'ff05::2', 'fd00:ec2::254', '::7f00:1', '64:ff9b::7f00:1'];
  for (const text of others) for (const words of told(text)) assert.deepEqual(words, [], text);
});

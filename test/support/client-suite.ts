import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { configMap, MAPS } from './client.ts';
import { type ForeignClient, install, runClient } from './foreign-client.ts';
import { go } from './foreign-clients.ts';
import type { RunningSystem } from './running-system.ts';

/** Enough for a list that consists of several compressed segments. */
const FILL = 250;

/** Creates enough ConfigMaps for compressed and paged lists. */
export async function fill({ client }: RunningSystem): Promise<void> {
  const names = Array.from({ length: FILL }, (_, i) => `fill-${1000 + i}`);
  for (let at = 0; at < FILL; at += 50) {
    const made = names.slice(at, at + 50).map((name) => {
      const body = configMap(name, { text: `${name} `.repeat(100) }, { labels: { fill: 'yes' } });
      return client.request('POST', MAPS, { body });
    });
    for (const { code } of await Promise.all(made)) assert.equal(code, 201);
  }
}

interface Session {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  /** where its results differ from those of other clients */
  readonly expected?: Record<string, unknown>;
  /** builds the client even if that takes minutes */
  readonly allowLongBuild?: boolean;
}

/** Runs a client, which reads and writes, and compares its results. Skips the test if the client cannot be installed. */
export async function testClient(
  t: TestContext,
  { tidegate }: RunningSystem,
  client: ForeignClient,
  { args, env = {}, expected = {}, allowLongBuild = false }: Session,
): Promise<void> {
  const place = await install(client, allowLongBuild);
  if ('why' in place) {
    t.skip(place.why);
    return;
  }
  const answer = await runClient(client, place.home, { args, env: { KUBECONFIG: tidegate.kubeconfig, ...env } });
  assert.deepEqual(answer, {
    text: 'ä😀',
    bytes: 'AAH/',
    patched: '2',
    conflict: true,
    missing: true,
    events: ['MODIFIED', 'MODIFIED', 'DELETED'],
    revision: '9223372036854775807',
    raw: '{"number":9007199254740993}',
    listed: FILL,
    paged: FILL,
    gzip: true,
    ...expected,
  });
}

/** Tests of the typed Go client in Protobuf and CBOR. */
export function goClientTests(system: () => RunningSystem, allowLongBuild = false): void {
  const type = 'application/vnd.kubernetes.protobuf';
  const mediaTypes = [`got ${type}`, `got ${type};stream=watch`, `sent ${type}`];
  for (const [title, args] of [
    ['with its default encoding, which is Protobuf', ['go']],
    ['with Protobuf', ['go-protobuf', type]],
  ] as const) {
    test(`The Go client ${title} reads, writes and watches.`, (t) =>
      testClient(t, system(), go, { args, expected: { informed: FILL, mediaTypes }, allowLongBuild }));
  }

  test('The Go client with CBOR reads, writes and watches.', (t) =>
    testClient(t, system(), go, {
      args: ['go-cbor', 'application/cbor'],
      env: { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' },
      expected: {
        informed: FILL,
        mediaTypes: ['got application/cbor', 'got application/cbor-seq', 'sent application/cbor'],
      },
      allowLongBuild,
    }));
}

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { configMap, MAPS } from './client.ts';
import { answerOf, type ForeignClient, ready } from './foreign-client.ts';
import { go } from './foreign-clients.ts';
import type { RunningSystem } from './running-system.ts';

/** As many as make a list that is put together of compressed segments. */
const FILL = 250;

/** Enough ConfigMaps for lists that are compressed, and that come in pages. */
export async function fill({ client }: RunningSystem): Promise<void> {
  const names = Array.from({ length: FILL }, (_, i) => `fill-${1000 + i}`);
  for (let at = 0; at < FILL; at += 50) {
    const made = names.slice(at, at + 50).map((name) => {
      const body = configMap(name, { text: `${name} `.repeat(100) }, { labels: { fill: 'yes' } });
      return client.ask('POST', MAPS, { body });
    });
    for (const { code } of await Promise.all(made)) assert.equal(code, 201);
  }
}

interface Session {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  /** what it meets otherwise than the others */
  readonly meets?: Record<string, unknown>;
  /** builds it even where that takes minutes */
  readonly patient?: boolean;
}

/** A client reads and writes, and meets what it should. Where it cannot be had the test is skipped. */
export async function clientWorks(
  t: TestContext,
  { tidegate }: RunningSystem,
  client: ForeignClient,
  { args, env = {}, meets = {}, patient = false }: Session,
): Promise<void> {
  const place = await ready(client, patient);
  if ('why' in place) {
    t.skip(place.why);
    return;
  }
  const answer = await answerOf(client, place.home, { args, env: { KUBECONFIG: tidegate.kubeconfig, ...env } });
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
    ...meets,
  });
}

/** Go's typed client in both binary encodings. */
export function goWorks(system: () => RunningSystem, patient = false): void {
  const type = 'application/vnd.kubernetes.protobuf';
  const mediaTypes = [`got ${type}`, `got ${type};stream=watch`, `sent ${type}`];
  for (const [title, args] of [
    ['in the encoding of its choice, which is Protobuf', ['go']],
    ['in Protobuf', ['go-protobuf', type]],
  ] as const) {
    test(`Go ${title}`, (t) => clientWorks(t, system(), go, { args, meets: { informed: FILL, mediaTypes }, patient }));
  }

  test('Go in CBOR', (t) =>
    clientWorks(t, system(), go, {
      args: ['go-cbor', 'application/cbor'],
      env: { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' },
      meets: {
        informed: FILL,
        mediaTypes: ['got application/cbor', 'got application/cbor-seq', 'sent application/cbor'],
      },
      patient,
    }));
}

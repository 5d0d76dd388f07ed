import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { signalQuietly } from '@tidegate/local';
import { type Cluster, startCluster, until } from '@tidegate/testkit';
import { Client, configMap } from '../support/client.ts';
import { Api } from './load/api.ts';

const MAPS = '/api/v1/namespaces/large/configmaps';
const OBJECTS = 200;
const BYTES = 100_000;
/** More than all buffers on the path hold, so that the rest must still come from a store. */
const READ_FIRST = 4 << 20;

describe('Stores that are killed during a long answer', () => {
  let cluster: Cluster;
  let client: Client;
  let api: Api;
  const names = Array.from({ length: OBJECTS }, (_, i) => `large-${String(i).padStart(4, '0')}`);
  const versions: string[] = [];

  before(async () => {
    // the gateway keeps no window, so that old states and history come from the store
    const gateway = { 'mirror-window-memory-mib': '0.001', 'feature-gates': 'ListFromCacheSnapshot=false' };
    cluster = await startCluster({ replicas: 2, nats: false, flags: { gateway } });
    const [endpoint] = cluster.endpoints;
    client = new Client(endpoint!);
    api = new Api(endpoint!, 60_000);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'large' } };
    assert.equal((await client.request('POST', '/api/v1/namespaces', { body: namespace })).code, 201);
    for (const name of names) {
      const { code, json } = await client.request('POST', MAPS, { body: configMap(name, { text: 'x'.repeat(BYTES) }) });
      assert.equal(code, 201);
      versions.push(json.metadata.resourceVersion);
    }
  });
  after(async () => {
    client?.close();
    api?.close();
    await cluster?.stop();
  });

  const resumed = () => cluster.metric('gateway-1', 'tidegate_gateway_store_streams_resumed_total');

  /** Reads a part of the answer while the stores are killed one after another; returns the reader of the rest. */
  const readWhileKilled = async (path: string): Promise<Read> => {
    const response = (await api.stream(path)) as IncomingMessage;
    assert.equal(response.statusCode, 200);
    const read = reader(response);
    await read(READ_FIRST);
    for (const store of ['store-1', 'store-2']) {
      const part = cluster.parts.get(store);
      const killed = part!.pid;
      signalQuietly(killed, 'SIGKILL');
      await until('a restart', () => part!.pid !== killed);
      await read(READ_FIRST);
    }
    return read;
  };

  test('A client receives a long list completely although the stores are killed meanwhile.', async () => {
    const before = await resumed();
    const path = `${MAPS}?resourceVersion=${versions.at(-1)}&resourceVersionMatch=Exact`;
    const { metadata, items } = JSON.parse(await (await readWhileKilled(path))(Number.POSITIVE_INFINITY));
    assert.equal(metadata.resourceVersion, versions.at(-1));
    assert.deepEqual(
      items.map((item: { metadata: { name: string } }) => item.metadata.name),
      names,
    );
    assert.ok((await resumed()) > before, 'the list was continued at another store');
  });

  test('A watcher receives a long history completely although the stores are killed meanwhile.', async () => {
    const before = await resumed();
    const read = await readWhileKilled(`${MAPS}?watch=1&timeoutSeconds=60&resourceVersion=${versions[0]}`);
    const last = await until('a further write', async () => {
      const { code, json } = await client.request('POST', MAPS, { body: configMap('last') });
      return code === 201 ? (json.metadata.resourceVersion as string) : undefined;
    });
    const text = await read(Number.POSITIVE_INFINITY, (tail) =>
      new RegExp(`"resourceVersion":"${last}".*\n$`).test(tail),
    );
    const events = text.trimEnd().split('\n');
    const lines = events
      .map((line) => JSON.parse(line))
      .map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`);
    assert.deepEqual(
      lines,
      [...versions.slice(1), last].map((version) => `ADDED ${version}`),
    );
    assert.ok((await resumed()) > before, 'the history was continued at another store');
  });
});

/**
 * Reads at least `bytes` more bytes, or up to the end of the stream or the end that `isEnd` recognizes. At the end it
 * returns everything that was read. Between calls nothing is read.
 */
type Read = (bytes: number, isEnd?: (tail: string) => boolean) => Promise<string>;

function reader(response: IncomingMessage): Read {
  const parts = response[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  return async (bytes, isEnd = () => false) => {
    for (let more = 0; more < bytes; ) {
      const { done, value } = await parts.next();
      if (done === true) return Buffer.concat(read).toString();
      read.push(value);
      more += value.length;
      // an event may be split over two chunks
      if (isEnd(Buffer.concat(read.slice(-2)).toString())) return Buffer.concat(read).toString();
    }
    return '';
  };
}

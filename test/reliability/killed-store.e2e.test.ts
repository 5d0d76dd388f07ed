import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { signalQuietly } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import { Client, configMap } from '../support/client.ts';
import { Api } from './load/api.ts';
import { type Cluster, startCluster } from './system/cluster.ts';

const MAPS = '/api/v1/namespaces/large/configmaps';
const OBJECTS = 200;
const BYTES = 100_000;
/** More than all buffers on the way take: the rest is still in the store. */
const READ_FIRST = 4 << 20;

describe('A store that is killed in the middle of', () => {
  let cluster: Cluster;
  let client: Client;
  let api: Api;
  const names = Array.from({ length: OBJECTS }, (_, i) => `large-${String(i).padStart(4, '0')}`);
  const versions: string[] = [];

  before(async () => {
    // the gateway forgets at once, so that old states and history come from the store
    const gateway = { 'mirror-window-memory-mib': '0.001', 'feature-gates': 'ListFromCacheSnapshot=false' };
    cluster = await startCluster({ replicas: 2, nats: false, flags: { gateway } });
    const [endpoint] = cluster.endpoints;
    client = new Client(endpoint!);
    api = new Api(endpoint!, 60_000);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'large' } };
    assert.equal((await client.ask('POST', '/api/v1/namespaces', { body: namespace })).code, 201);
    for (const name of names) {
      const { code, json } = await client.ask('POST', MAPS, { body: configMap(name, { text: 'x'.repeat(BYTES) }) });
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

  /** Reads a little, has every store killed in turn, and answers how the rest is read. */
  const readWhileKilled = async (path: string): Promise<Read> => {
    const response = (await api.stream(path)) as IncomingMessage;
    assert.equal(response.statusCode, 200);
    const read = reader(response);
    await read(READ_FIRST);
    for (const store of ['store-1', 'store-2']) {
      const part = cluster.parts.get(store);
      const killed = part!.pid;
      signalQuietly(killed, 'SIGKILL');
      await until('it to be started again', () => part!.pid !== killed);
      await read(READ_FIRST);
    }
    return read;
  };

  test('a long list is not noticed by its client', async () => {
    const before = await resumed();
    const path = `${MAPS}?resourceVersion=${versions.at(-1)}&resourceVersionMatch=Exact`;
    const { metadata, items } = JSON.parse(await (await readWhileKilled(path))(Number.POSITIVE_INFINITY));
    assert.equal(metadata.resourceVersion, versions.at(-1));
    assert.deepEqual(
      items.map((item: { metadata: { name: string } }) => item.metadata.name),
      names,
    );
    assert.ok((await resumed()) > before, 'the list went on at another store');
  });

  test('a long history is not noticed by its watcher', async () => {
    const before = await resumed();
    const read = await readWhileKilled(`${MAPS}?watch=1&timeoutSeconds=60&resourceVersion=${versions[0]}`);
    const last = await until('a write after all that', async () => {
      const { code, json } = await client.ask('POST', MAPS, { body: configMap('last') });
      return code === 201 ? (json.metadata.resourceVersion as string) : undefined;
    });
    const text = await read(Number.POSITIVE_INFINITY, (tail) =>
      new RegExp(`"resourceVersion":"${last}".*\n$`).test(tail),
    );
    const events = text.trimEnd().split('\n');
    const told = events
      .map((line) => JSON.parse(line))
      .map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`);
    assert.deepEqual(
      told,
      [...versions.slice(1), last].map((version) => `ADDED ${version}`),
    );
    assert.ok((await resumed()) > before, 'the history went on at another store');
  });
});

/**
 * Reads at least so many bytes more, or to the end, or until what came last is the end, and at the end answers all that was
 * read; in between nothing is read.
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
      // an event may come in two pieces
      if (isEnd(Buffer.concat(read.slice(-2)).toString())) return Buffer.concat(read).toString();
    }
    return '';
  };
}

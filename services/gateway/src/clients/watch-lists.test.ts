import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials, Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { expired } from '@tidegate/status';
import { type CollectionListRequest, type ListPart, toServiceError, watch } from '@tidegate/wire';
import { WatchLists } from './watch-lists.ts';

type Call = ServerWritableStream<CollectionListRequest, ListPart>;

/** Objects a, b, ... of one namespace in parts of two, of which a server sends so many before it breaks off. */
const NAMES = [...'abcdefg'];
interface Served {
  readonly address: string;
  readonly requests: CollectionListRequest[];
  readonly server: Server;
}
const servers: Served[] = [];
let breakAfter = Number.POSITIVE_INFINITY;

function serve(call: Call, requests: CollectionListRequest[]): void {
  const { afterName, limit, exact, revision, resource } = call.request;
  requests.push({ ...call.request });
  if (resource === 'forgotten') {
    call.emit('error', toServiceError(expired('forgotten')));
    return;
  }
  call.write({ revision: exact ? revision : 70 + requests.length, corrupt: [] });
  const rest = NAMES.filter((name) => name > afterName);
  const wanted = limit === 0 ? rest : rest.slice(0, Math.max(0, limit));
  for (let i = 0; i < wanted.length; i += 2) {
    if (i / 2 === breakAfter) {
      breakAfter = Number.POSITIVE_INFINITY;
      call.emit('error', { code: status.UNAVAILABLE, details: 'gone' });
      return;
    }
    const names = wanted.slice(i, i + 2);
    const json = Buffer.from(names.map((name) => `"${name}",`).join(''));
    call.write({ segment: { json, items: [] }, count: names.length, lastNamespace: 'n', lastName: names.at(-1) ?? '' });
  }
  call.write({ remaining: rest.length - wanted.length });
  call.end();
}

before(async () => {
  for (let i = 0; i < 2; i++) {
    const server = new Server();
    const requests: CollectionListRequest[] = [];
    server.addService(watch, { list: (call: Call) => serve(call, requests) });
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    servers.push({ address: `127.0.0.1:${port}`, requests, server });
  }
});
after(() => {
  for (const { server } of servers) server.forceShutdown();
});

async function listed(limit: number, resource = 'configmaps') {
  for (const { requests } of servers) requests.length = 0;
  const lists = new WatchLists(
    servers.map(({ address }) => address),
    credentials.createInsecure(),
  );
  const received = { names: '', revisions: [] as number[], remaining: -1 };
  const request = { resource, namespace: '', afterNamespace: '', afterName: '', limit, revision: 60, exact: false };
  try {
    for await (const part of lists.list({ ...request, heads: false, typeless: false })) {
      if (part.revision) received.revisions.push(part.revision);
      received.names += Buffer.from(part.segment?.json ?? [])
        .toString()
        .replace(/[",]/g, '');
      if (!part.segment && !part.revision) received.remaining = part.remaining ?? 0;
    }
  } finally {
    lists.close();
  }
  return received;
}

for (const limit of [0, 2, 4, 5]) {
  for (const broken of [0, 1, 2, Number.POSITIVE_INFINITY]) {
    test(`a list of ${limit} goes on at the other replica, at its revision, when the first goes after ${broken}`, async () => {
      breakAfter = broken;
      const received = await listed(limit);
      const names = limit === 0 ? NAMES : NAMES.slice(0, limit);
      assert.equal(received.names, names.join(''));
      assert.equal(received.revisions.length, 1);
      assert.equal(received.remaining, NAMES.length - names.length);
      for (const { exact, revision } of (servers[1] as Served).requests) {
        assert.deepEqual({ exact, revision }, { exact: true, revision: received.revisions[0] });
      }
    });
  }
}

test('a list that one replica refuses is not sent to another', async () => {
  await assert.rejects(listed(0, 'forgotten'), { reason: 'Expired' });
  assert.equal(
    servers.reduce((sum, { requests }) => sum + requests.length, 0),
    1,
  );
});

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type TestAuthority, testAuthority } from '@tidegate/testkit';
import { Connections, type Peer } from './connections.ts';

describe('The peer of a connection', () => {
  let server: Server;
  let clients: TestAuthority;
  let proxies: TestAuthority;
  let connections: Connections;
  let trusted: string;
  const seen: Peer[] = [];
  let believed: X509Certificate[];
  let changed = () => {};

  before(async () => {
    clients = await testAuthority('clients');
    proxies = await testAuthority('proxies');
    const pair = await clients.leaf({ commonName: 'server', names: ['127.0.0.1'] });
    trusted = clients.ca;
    believed = [new X509Certificate(clients.ca)];
    connections = new Connections({
      authorities: {
        get value() {
          return { clients: believed, frontProxies: [new X509Certificate(proxies.ca)] };
        },
        onChange: (listener) => {
          changed = listener;
        },
      },
      frontProxyNames: ['proxy'],
    });
    const ca = [clients.ca, proxies.ca];
    server = createServer({ ...pair, ca, requestCert: true, rejectUnauthorized: false }, (message, response) => {
      seen.push(connections.of(message));
      response.setHeader(
        'Resumed',
        String((message.socket as unknown as { isSessionReused(): boolean }).isSessionReused()),
      );
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  async function ask(pair: { cert: string; key: string } | undefined, agent = new Agent(), connection = 'close') {
    const { port } = server.address() as AddressInfo;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = { Connection: connection };
    request({ host: '127.0.0.1', port, ca: trusted, agent, headers, ...pair }, (response) => {
      response.resume().on('end', () => resolve(String(response.headers.resumed)));
    })
      .on('error', reject)
      .end();
    return promise;
  }

  async function peerWith(pair: { cert: string; key: string } | undefined): Promise<Peer> {
    await ask(pair);
    return seen.at(-1) as Peer;
  }

  test('is a client with the attributes of its certificate', async () => {
    const pair = await clients.leaf({ commonName: 'ann', organization: 'dev' });
    const peer = await peerWith(pair);
    assert.ok(peer.kind === 'client');
    const { name, groups, extra, until } = peer.user;
    const certificate = new X509Certificate(pair.cert);
    const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
    assert.deepEqual([name, groups], ['ann', ['dev', 'system:authenticated']]);
    assert.deepEqual(extra, { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] });
    assert.equal(until, certificate.validToDate.getTime());
  });

  test('is a front proxy by its authority and its name, and then no client', async () => {
    assert.deepEqual(await peerWith(await proxies.leaf({ commonName: 'proxy' })), { kind: 'front-proxy' });
    assert.equal(
      (await peerWith(await proxies.leaf({ commonName: 'admin', organization: 'system:masters' }))).kind,
      'untrusted',
    );
  });

  test('is no front proxy by its name alone', async () => {
    const peer = await peerWith(await clients.leaf({ commonName: 'proxy' }));
    assert.ok(peer.kind === 'client' && peer.user.name === 'proxy');
  });

  test('is untrusted with a certificate of another authority, even one of the same name', async () => {
    const impostor = await testAuthority('clients');
    assert.equal((await peerWith(await impostor.leaf({ commonName: 'ann' }))).kind, 'untrusted');
    const self = await clients.leaf({ commonName: 'server', names: ['127.0.0.1'] });
    assert.equal((await peerWith(self)).kind, 'untrusted', 'a server certificate identifies no client');
  });

  test('is unidentified without a certificate', async () => {
    assert.deepEqual(await peerWith(undefined), { kind: 'none' });
  });

  test('is verified again when the authorities change, also on an open connection', async () => {
    const pair = await clients.leaf({ commonName: 'ann' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask(pair, agent, 'keep-alive');
    assert.equal(seen.at(-1)?.kind, 'client');
    believed = [];
    changed();
    await ask(pair, agent, 'keep-alive');
    assert.equal(seen.at(-1)?.kind, 'untrusted');
    believed = [new X509Certificate(clients.ca)];
    changed();
    await ask(pair, agent, 'keep-alive');
    assert.equal(seen.at(-1)?.kind, 'client');
    agent.destroy();
  });

  test('is the same when a connection is resumed', async () => {
    const pair = await proxies.leaf({ commonName: 'proxy' });
    const agent = new Agent({ maxCachedSessions: 10 });
    await ask(pair, agent);
    assert.equal(await ask(pair, agent), 'true');
    assert.deepEqual(seen.at(-1), { kind: 'front-proxy' });
  });
});

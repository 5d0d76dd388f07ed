import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { until } from '@tidegate/testkit';
import { WebSocket } from 'ws';
import { kubectl, whyNoKubectl } from '../support/kubectl.ts';
import { PODS, type ProxySetup } from './proxy-setup.ts';

export function logs(setupOf: () => ProxySetup): void {
  describe('pods/log', () => {
    let setup: ProxySetup;
    const get = (path: string, headers: Record<string, string> = {}) => setup.client.get(`${PODS}/${path}`, headers);
    const errorOf = async (path: string) => {
      const { code, json } = await get(path);
      return [code, json?.reason ?? '', json?.message];
    };

    before(async () => {
      setup = setupOf();
      await setup.pod('talker', { node: 'plain' });
      await setup.pod('several', { node: 'plain', containers: ['a', 'b'] });
      await setup.pod('waiting');
      setup.kubelet.on('/containerLogs/default/talker/main', (received, response) => {
        response.end(`asked ${received.url?.split('?')[1] ?? ''}\n`);
      });
    });

    /** Opens a log with follow=true; returns the client's and the kubelet's side. */
    async function follow(name: string): Promise<{ client: IncomingMessage; kubelet: ServerResponse }> {
      await setup.pod(name, { node: 'plain' });
      const received = new Promise<ServerResponse>((resolve) => {
        setup.kubelet.on(`/containerLogs/default/${name}/main`, (_request, response) => {
          response.write('first\n');
          resolve(response);
        });
      });
      const { tidegate } = setup.system;
      const call = request(new URL(`${PODS}/${name}/log?follow=true`, tidegate.server), {
        ca: readFileSync(tidegate.caFile),
        headers: { Authorization: `Bearer ${tidegate.token}` },
        agent: false,
      });
      call.on('error', () => {});
      call.end();
      const [client] = (await once(call, 'response')) as [IncomingMessage];
      client.on('error', () => {});
      return { client, kubelet: await received };
    }

    test('Logs are the answer of the kubelet, which receives the log options.', async () => {
      const query = 'container=main&follow=false&previous=1&timestamps&tailLines=3&limitBytes=90&sinceSeconds=60';
      const { code, headers, text } = await get(`talker/log?${query}`);
      assert.deepEqual([code, headers['content-type']], [200, 'text/plain']);
      assert.equal(text, 'asked limitBytes=90&previous=true&sinceSeconds=60&tailLines=3&timestamps=true\n');
      const since = await get('talker/log?sinceTime=2026-01-02T03:04:05.678%2B01:00&insecureSkipTLSVerifyBackend=1');
      assert.equal(since.text, 'asked sinceTime=2026-01-02T02%3A04%3A05Z\n');
    });

    test('kubectl logs works.', { skip: whyNoKubectl() ?? false }, async () => {
      const run = await kubectl(setup.system.tidegate.kubeconfig, ['logs', 'talker', '--tail=2', '--timestamps']);
      assert.deepEqual([run.code, run.stdout], [0, 'asked tailLines=2&timestamps=true\n'], run.stderr);
    });

    test('Logs are served over HTTP/2.', async () => {
      const { server, token, caFile } = setup.system.tidegate;
      const session = connect(server, { ca: readFileSync(caFile) });
      const stream = session.request({ ':path': `${PODS}/talker/log`, authorization: `Bearer ${token}` });
      let text = '';
      for await (const part of stream.setEncoding('utf8')) text += part;
      session.close();
      assert.equal(text, 'asked \n');
    });

    for (const [protocol, encoding] of [
      ['binary.k8s.io', 'utf8'],
      ['base64.binary.k8s.io', 'base64'],
    ] as const) {
      test(`Logs are served over a WebSocket with ${protocol}.`, async () => {
        const { server, token, caFile } = setup.system.tidegate;
        const url = `${server.replace('https', 'wss')}${PODS}/talker/log?follow=true`;
        const headers = { Authorization: `Bearer ${token}` };
        const socket = new WebSocket(url, [protocol], { ca: readFileSync(caFile), headers });
        let text = '';
        socket.on('message', (data) => (text += Buffer.from(String(data), encoding).toString('utf8')));
        const [code] = await once(socket, 'close');
        assert.deepEqual([code, socket.protocol, text], [1000, protocol, 'asked follow=true\n']);
      });
    }

    test('The kubelet receives the client certificate of the gateway, and no credentials of the client.', async () => {
      let seen: { authorized: boolean; headers: string[] } | undefined;
      await setup.pod('curious', { node: 'plain' });
      setup.kubelet.on('/containerLogs/default/curious/main', (received, response) => {
        const { authorized } = received.socket as TLSSocket;
        seen = { authorized, headers: Object.keys(received.headers) };
        response.end();
      });
      const as = { 'Impersonate-User': 'somebody', 'Impersonate-Group': 'system:masters' };
      await get('curious/log', { ...as, Cookie: 'a=b', 'X-Remote-User': 'root' });
      assert.deepEqual(seen, { authorized: true, headers: ['host', 'accept-encoding', 'connection'] });
    });

    test('Followed logs are streamed, and both sides are closed when one of them closes.', async () => {
      const { client, kubelet } = await follow('follower');
      const lines: string[] = [];
      client.setEncoding('utf8').on('data', (text: string) => lines.push(text));
      await until('the first line', () => lines.length === 1);
      kubelet.write('second\n');
      await until('the second line', () => lines.join('') === 'first\nsecond\n');
      kubelet.end('last\n');
      await once(client, 'end');
      assert.equal(lines.join(''), 'first\nsecond\nlast\n');

      const disconnected = await follow('disconnected');
      disconnected.client.destroy();
      await once(disconnected.kubelet, 'close');

      const cut = await follow('cut');
      const closed = new Promise((resolve) => cut.client.once('close', resolve));
      cut.client.resume();
      cut.kubelet.destroy();
      await closed;
      assert.equal(cut.client.complete, false);
    });

    test('Logs are read from the kubelet only as fast as the client reads.', async () => {
      const { client, kubelet } = await follow('endless');
      const piece = Buffer.alloc(64 << 10, 'x');
      let written = 0;
      let read = 0;
      const fill = () => {
        while (!kubelet.destroyed && kubelet.write(piece)) written += piece.length;
        written += piece.length;
      };
      kubelet.on('drain', fill);
      fill();
      // socket buffers on both connections can hold up to 72 MiB, if the kernel grants each 32 MiB
      while (read < 128 << 20) {
        const part = client.read() as Buffer | null;
        if (part === null) await once(client, 'readable');
        else read += part.length;
        assert.ok(written - read < 80 << 20, `${written} were written when ${read} were read`);
      }
      client.destroy();
      await once(kubelet, 'close');
    });

    test('Logs of a pod without a node are empty.', async () => {
      const { code, text } = await get('waiting/log');
      assert.deepEqual([code, text], [204, '']);
    });

    test('Logs require a container of the pod.', async () => {
      assert.deepEqual(await errorOf('several/log'), [
        400,
        'BadRequest',
        'a container name must be specified for pod several, choose one of: [a b]',
      ]);
      const other = [400, 'BadRequest', 'container c is not valid for pod several'];
      assert.deepEqual(await errorOf('several/log?container=c'), other);
      assert.deepEqual(await errorOf('nobody/log'), [404, 'NotFound', 'pods "nobody" not found']);
    });

    const invalid = (rest: string) => [422, 'Invalid', `PodLogOptions "talker" is invalid: ${rest}`];
    for (const [query, expected] of [
      ['tailLines=-1', invalid('tailLines: Invalid value: -1: must be greater than or equal to 0')],
      ['limitBytes=0', invalid('limitBytes: Invalid value: 0: must be greater than 0')],
      ['sinceSeconds=0', invalid('sinceSeconds: Invalid value: 0: must be greater than 0')],
      [
        'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
        invalid(': Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'),
      ],
      ['stream=Stdout', invalid('stream: Forbidden: may not be specified')],
      [
        'tailLines=few',
        [400, 'BadRequest', 'invalid value "few" of the query parameter tailLines: use a whole number'],
      ],
    ] as const) {
      test(`Logs with ${query} are rejected.`, async () =>
        assert.deepEqual(await errorOf(`talker/log?${query}`), expected));
    }

    test('Errors of the kubelet are passed on, and its redirects are rejected.', async () => {
      const answers: Record<string, [code: number, body: string, headers?: Record<string, string>]> = {
        absent: [404, 'container not found'],
        broken: [500, 'the disk is gone'],
        wrong: [400, 'previous terminated container not found'],
        teapot: [418, ''],
        fresh: [304, ''],
        moved: [302, '', { Location: 'https://127.0.0.1:1/elsewhere' }],
      };
      for (const [name, [code, body, headers = {}]] of Object.entries(answers)) {
        await setup.pod(name, { node: 'plain' });
        setup.kubelet.on(`/containerLogs/default/${name}/main`, (_request, response) => {
          response.writeHead(code, headers).end(body);
        });
      }
      assert.deepEqual(await errorOf('absent/log'), [
        404,
        'NotFound',
        'the server could not find the requested resource ( pods/log absent)',
      ]);
      assert.deepEqual(await errorOf('broken/log'), [
        500,
        'InternalError',
        'Internal error occurred: the disk is gone',
      ]);
      assert.deepEqual(await errorOf('wrong/log'), [400, 'BadRequest', 'previous terminated container not found']);
      assert.deepEqual(await errorOf('teapot/log'), [
        418,
        '',
        'the server responded with the status code 418 but did not return more information ( pods/log teapot)',
      ]);
      assert.deepEqual((await errorOf('fresh/log'))[0], 500);
      assert.deepEqual(await errorOf('moved/log'), [500, '', 'redirects forbidden']);
    });

    test('Logs of a node that is unreachable, unknown or at a forbidden address fail with a message.', async () => {
      const { port } = await closedPort();
      await setup.node('gone', port);
      await setup.pod('stranded', { node: 'gone' });
      assert.deepEqual(await errorOf('stranded/log'), [
        500,
        '',
        `Get "https://127.0.0.1:${port}/containerLogs/default/stranded/main": dial tcp 127.0.0.1:${port}: connect: connection refused`,
      ]);
      await setup.pod('lost', { node: 'never' });
      assert.deepEqual(await errorOf('lost/log'), [404, 'NotFound', 'nodes "never" not found']);
      await setup.node('metadata', 80, '169.254.169.254');
      await setup.pod('nosy', { node: 'metadata' });
      assert.deepEqual(await errorOf('nosy/log'), [400, 'BadRequest', 'address not allowed']);
    });
  });
}

/** A port without a listener. */
export async function closedPort(): Promise<{ port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port };
}

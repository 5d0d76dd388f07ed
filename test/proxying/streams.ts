import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDir, until } from '@tidegate/testkit';
import { WebSocket } from 'ws';
import { BackEndServer } from '../support/back-end-server.ts';
import { type GoKubelet, startGoKubelet, whyNoGoKubelet } from '../support/go-kubelet.ts';
import { findKubectl, kubectl, type Run, whyNoKubectl } from '../support/kubectl.ts';
import { type Place, PODS } from './place.ts';

const WAYS = [
  { way: 'WebSockets', env: {} },
  { way: 'SPDY', env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' } },
];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** exec, attach, cp and port-forward, with the streaming server of real kubelets behind them. */
export function streams(placeOf: () => Place): void {
  describe('Streams to a container', { skip: whyNoGoKubelet() ?? false }, () => {
    let place: Place;
    let node: GoKubelet;
    const dir = temporaryDir('streams');
    const main = 'streamed';

    before(async () => {
      place = placeOf();
      const { certFile, keyFile } = place.certificates.peer('watch');
      node = await startGoKubelet(certFile, keyFile);
      await place.node('streams', node.port);
      await place.pod(main, { node: 'streams' });
    });
    after(() => {
      node?.stop();
      dir.remove();
    });

    for (const { way, env } of WAYS) {
      describe(`for kubectl over ${way}`, { skip: whyNoKubectl() ?? false }, () => {
        const run = (args: readonly string[], input?: string): Promise<Run> =>
          kubectl(place.system.tidegate.kubeconfig, args, env, input);
        const bash = (text: string, input?: string) =>
          run(['exec', ...(input === undefined ? [] : ['-i']), main, '--', 'sh', '-c', text], input);

        test('exec brings both outputs and the exit code', async () => {
          const { code, stdout, stderr } = await bash('echo out; echo err >&2; exit 3');
          assert.deepEqual([code, stdout], [3, 'out\n']);
          assert.equal(stderr, 'err\ncommand terminated with exit code 3\n');
          assert.deepEqual(await bash('echo fine'), { code: 0, stdout: 'fine\n', stderr: '' });
        });

        test('exec -i brings the input, and its end', async () => {
          const input = `${'a line of input\n'.repeat(100_000)}the last`;
          const { code, stdout, stderr } = await bash('cat', input);
          assert.equal(code, 0, stderr);
          assert.equal(stdout === input, true, `${stdout.length} of ${input.length}`);
        });

        test('cp brings files there and back', async () => {
          const [from, there, back] = ['from', 'there', 'back'].map((name) => join(dir.path, way, name)) as [
            string,
            string,
            string,
          ];
          for (const each of [from, there]) mkdirSync(each, { recursive: true });
          const content = Buffer.alloc(3 << 20, `some bytes of ${way} `);
          writeFileSync(join(from, 'file'), content);
          const up = await run(['cp', join(from, 'file'), `${main}:${there}/file`]);
          assert.equal(up.code, 0, up.stderr);
          assert.equal(readFileSync(join(there, 'file')).equals(content), true);
          const down = await run(['cp', `${main}:${there}/file`, back]);
          assert.equal(down.code, 0, down.stderr);
          assert.equal(readFileSync(back).equals(content), true);
        });

        test('attach -i speaks with what runs', async () => {
          const { code, stdout, stderr } = await run(['attach', '-i', main], 'hello\n');
          assert.deepEqual([code, stdout], [0, 'attached\nhello\n'], stderr);
        });

        test('port-forward carries many connections at once', async () => {
          const target = await new BackEndServer().listen();
          target.on('/big', (_request, response) => response.end(Buffer.alloc(2 << 20, 'p')));
          const args = ['port-forward', `pod/${main}`, `:${target.port}`];
          const child = spawn(findKubectl(), args, {
            env: { ...process.env, KUBECONFIG: place.system.tidegate.kubeconfig, ...env },
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          let said = '';
          for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
          try {
            const port = await until('the forwarded port', () => /127\.0\.0\.1:(\d+) ->/.exec(said)?.[1]);
            const sizes = await Promise.all(
              Array.from({ length: 5 }, async () => {
                const response = await fetch(`http://127.0.0.1:${port}/big`, { headers: { connection: 'close' } });
                return (await response.bytes()).length;
              }),
            );
            assert.deepEqual(sizes, Array(5).fill(2 << 20), said);
          } finally {
            child.kill();
            target.stop();
          }
        });

        test('a container that is not there is said in words', async () => {
          const { code, stderr } = await run(['exec', main, '-c', 'other', '--', 'true']);
          assert.equal(code, 1);
          assert.match(stderr, /container (other is not valid for pod|other not found in pod) streamed/);
        });
      });
    }

    describe('for WebSockets of channels', () => {
      const open = (path: string, protocol: string) => {
        const { server, token, caFile } = place.system.tidegate;
        const socket = new WebSocket(`${server.replace('https', 'wss')}${PODS}/${path}`, [protocol], {
          ca: readFileSync(caFile),
          headers: { Authorization: `Bearer ${token}` },
        });
        const said: Record<number, string> = {};
        socket.on('message', (data: Buffer) => {
          const channel = data[0] as number;
          said[channel] = (said[channel] ?? '') + data.subarray(1).toString('utf8');
        });
        return { socket, said };
      };
      const send = (socket: WebSocket, channel: number, text: string) =>
        socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
      const sh = (text: string) => `command=sh&command=-c&command=${encodeURIComponent(text)}`;

      for (const protocol of ['v5.channel.k8s.io', 'v4.channel.k8s.io']) {
        test(`${protocol}: a terminal has the size that it is given`, async () => {
          const { socket, said } = open(
            `${main}/exec?${sh('read x; echo "got $x"; exit 4')}&stdin=true&stdout=true&tty=true`,
            protocol,
          );
          await once(socket, 'open');
          assert.equal(socket.protocol, protocol);
          send(socket, 4, '{"Width":123,"Height":45}');
          await until('the size', () => said[1]?.includes('123x45'));
          send(socket, 0, 'this\n');
          await once(socket, 'close');
          assert.match(said[1] ?? '', /got this/);
          const status = JSON.parse(said[3] ?? '');
          assert.deepEqual(
            [status.status, status.reason, status.details.causes],
            ['Failure', 'NonZeroExitCode', [{ reason: 'ExitCode', message: '4' }]],
          );
        });
      }

      test('v5.channel.k8s.io: the end of the input is told, and success', async () => {
        const { socket, said } = open(`${main}/exec?${sh('wc -c')}&stdin=1&stdout=1&stderr=1`, 'v5.channel.k8s.io');
        await once(socket, 'open');
        send(socket, 0, 'x'.repeat(70_000));
        socket.send(Buffer.from([255, 0]));
        const [code] = await once(socket, 'close');
        assert.deepEqual([code, said[1]?.trim(), JSON.parse(said[3] ?? '').status], [1000, '70000', 'Success']);
      });

      test('v5.channel.k8s.io: a node that is not there, or refuses, is told as a status', async () => {
        await place.node('away', 1);
        await place.pod('away', { node: 'away' });
        const { socket, said } = open(`away/exec?command=true&stdout=1`, 'v5.channel.k8s.io');
        await once(socket, 'close');
        assert.match(
          JSON.parse(said[3] ?? '').message,
          /^Internal error occurred: error sending request: Post "https:.*refused$/,
        );
        const refused = open(`${main}/exec?command=true`, 'v5.channel.k8s.io');
        await once(refused.socket, 'close');
        assert.equal(
          JSON.parse(refused.said[3] ?? '').message,
          'Internal error occurred: unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr',
        );
      });

      test('v5.channel.k8s.io: output waits for a client that reads slowly, and all of it comes', async () => {
        const bytes = 24 << 20;
        const { socket } = open(`${main}/exec?${sh(`head -c ${bytes} /dev/zero`)}&stdout=1`, 'v5.channel.k8s.io');
        let read = 0;
        socket.on('message', (data: Buffer) => {
          if (data[0] === 1) read += data.length - 1;
          socket.pause();
          setImmediate(() => socket.resume());
        });
        await once(socket, 'close');
        assert.equal(read, bytes);
      });

      test('v5.channel.k8s.io: a client that goes ends the command', async () => {
        const { socket, said } = open(`${main}/exec?${sh('echo $$; exec cat')}&stdin=1&stdout=1`, 'v5.channel.k8s.io');
        const pid = Number(await until('the command to run', () => said[1]?.trim() || undefined));
        socket.terminate();
        await until('the command to end', () => !isRunning(pid));
      });

      test('SPDY in a WebSocket: the tunnel speaks what the kubelet has chosen', async () => {
        const { server, token, caFile } = place.system.tidegate;
        const call = request(new URL(`${PODS}/${main}/portforward`, server), {
          ca: readFileSync(caFile),
          agent: false,
          headers: {
            Authorization: `Bearer ${token}`,
            Connection: 'Upgrade',
            Upgrade: 'websocket',
            'Sec-WebSocket-Version': '13',
            'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
            'Sec-WebSocket-Protocol': 'SPDY/3.1+other.k8s.io, SPDY/3.1+portforward.k8s.io',
          },
        });
        call.end();
        const [response, socket] = (await once(call, 'upgrade')) as [IncomingMessage, Socket];
        assert.equal(response.headers['sec-websocket-protocol'], 'SPDY/3.1+portforward.k8s.io');
        // a ping of SPDY and its echo, each in a binary message; the mask of the first is zero
        const ping = '800300060000000400000001';
        socket.write(Buffer.from(`828c00000000${ping}`, 'hex'));
        let said = '';
        socket.on('data', (part: Buffer) => (said += part.toString('hex')));
        await until('the echo', () => said.replace(/82(0[1-9a-c])/g, '') === ping);
        socket.destroy();
      });
    });

    test('need an upgrade, and a pod with a node', async () => {
      await place.pod('homeless');
      for (const [path, message] of [
        [`${main}/exec?command=true`, 'Upgrade request required'],
        [`${main}/portforward`, 'Upgrade request required'],
        ['homeless/exec?command=true', 'pod homeless does not have a host assigned'],
        ['homeless/attach', 'pod homeless does not have a host assigned'],
      ]) {
        const { code, json } = await place.client.ask('POST', `${PODS}/${path}`);
        assert.deepEqual([code, json.message], [400, message]);
      }
    });
  });
}

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
import { findKubectl, type KubectlResult, kubectl, whyNoKubectl } from '../support/kubectl.ts';
import { PODS, type ProxySetup } from './proxy-setup.ts';

const PROTOCOLS = [
  { protocol: 'WebSockets', env: {} },
  { protocol: 'SPDY', env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' } },
];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Tests of exec, attach, cp and port-forward with the streaming server of real kubelets. */
export function streams(setupOf: () => ProxySetup): void {
  describe('Streams to a container', { skip: whyNoGoKubelet() ?? false }, () => {
    let setup: ProxySetup;
    let node: GoKubelet;
    const dir = temporaryDir('streams');
    const main = 'streamed';

    before(async () => {
      setup = setupOf();
      const { certFile, keyFile } = setup.certificates.peer('watch');
      node = await startGoKubelet(certFile, keyFile);
      await setup.node('streams', node.port);
      await setup.pod(main, { node: 'streams' });
    });
    after(() => {
      node?.stop();
      dir.remove();
    });

    for (const { protocol, env } of PROTOCOLS) {
      describe(`kubectl over ${protocol}`, { skip: whyNoKubectl() ?? false }, () => {
        const run = (args: readonly string[], input?: string): Promise<KubectlResult> =>
          kubectl(setup.system.tidegate.kubeconfig, args, env, input);
        const bash = (text: string, input?: string) =>
          run(['exec', ...(input === undefined ? [] : ['-i']), main, '--', 'sh', '-c', text], input);

        test('exec returns both outputs and the exit code.', async () => {
          const { code, stdout, stderr } = await bash('echo out; echo err >&2; exit 3');
          assert.deepEqual([code, stdout], [3, 'out\n']);
          assert.equal(stderr, 'err\ncommand terminated with exit code 3\n');
          assert.deepEqual(await bash('echo fine'), { code: 0, stdout: 'fine\n', stderr: '' });
        });

        test('exec -i sends the input and its end.', async () => {
          const input = `${'a line of input\n'.repeat(100_000)}the last`;
          const { code, stdout, stderr } = await bash('cat', input);
          assert.equal(code, 0, stderr);
          assert.equal(stdout === input, true, `${stdout.length} of ${input.length}`);
        });

        test('cp copies files in both directions.', async () => {
          const [from, there, back] = ['from', 'there', 'back'].map((name) => join(dir.path, protocol, name)) as [
            string,
            string,
            string,
          ];
          for (const each of [from, there]) mkdirSync(each, { recursive: true });
          const content = Buffer.alloc(3 << 20, `some bytes of ${protocol} `);
          writeFileSync(join(from, 'file'), content);
          const up = await run(['cp', join(from, 'file'), `${main}:${there}/file`]);
          assert.equal(up.code, 0, up.stderr);
          assert.equal(readFileSync(join(there, 'file')).equals(content), true);
          const down = await run(['cp', `${main}:${there}/file`, back]);
          assert.equal(down.code, 0, down.stderr);
          assert.equal(readFileSync(back).equals(content), true);
        });

        test('attach -i exchanges input and output with the process.', async () => {
          const { code, stdout, stderr } = await run(['attach', '-i', main], 'hello\n');
          assert.deepEqual([code, stdout], [0, 'attached\nhello\n'], stderr);
        });

        test('port-forward supports concurrent connections.', async () => {
          const target = await new BackEndServer().listen();
          target.on('/big', (_request, response) => response.end(Buffer.alloc(2 << 20, 'p')));
          const args = ['port-forward', `pod/${main}`, `:${target.port}`];
          const child = spawn(findKubectl(), args, {
            env: { ...process.env, KUBECONFIG: setup.system.tidegate.kubeconfig, ...env },
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          let output = '';
          for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
          try {
            const port = await until('the forwarded port', () => /127\.0\.0\.1:(\d+) ->/.exec(output)?.[1]);
            const sizes = await Promise.all(
              Array.from({ length: 5 }, async () => {
                const response = await fetch(`http://127.0.0.1:${port}/big`, { headers: { connection: 'close' } });
                return (await response.bytes()).length;
              }),
            );
            assert.deepEqual(sizes, Array(5).fill(2 << 20), output);
          } finally {
            child.kill();
            target.stop();
          }
        });

        test('The error for an unknown container names it.', async () => {
          const { code, stderr } = await run(['exec', main, '-c', 'other', '--', 'true']);
          assert.equal(code, 1);
          assert.match(stderr, /container (other is not valid for pod|other not found in pod) streamed/);
        });
      });
    }

    describe('WebSockets with channels', () => {
      const open = (path: string, protocol: string) => {
        const { server, token, caFile } = setup.system.tidegate;
        const socket = new WebSocket(`${server.replace('https', 'wss')}${PODS}/${path}`, [protocol], {
          ca: readFileSync(caFile),
          headers: { Authorization: `Bearer ${token}` },
        });
        const output: Record<number, string> = {};
        socket.on('message', (data: Buffer) => {
          const channel = data[0] as number;
          output[channel] = (output[channel] ?? '') + data.subarray(1).toString('utf8');
        });
        return { socket, output };
      };
      const send = (socket: WebSocket, channel: number, text: string) =>
        socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
      const sh = (text: string) => `command=sh&command=-c&command=${encodeURIComponent(text)}`;

      for (const protocol of ['v5.channel.k8s.io', 'v4.channel.k8s.io']) {
        test(`${protocol}: a terminal gets its size.`, async () => {
          const { socket, output } = open(
            `${main}/exec?${sh('read x; echo "got $x"; exit 4')}&stdin=true&stdout=true&tty=true`,
            protocol,
          );
          await once(socket, 'open');
          assert.equal(socket.protocol, protocol);
          send(socket, 4, '{"Width":123,"Height":45}');
          await until('the size', () => output[1]?.includes('123x45'));
          send(socket, 0, 'this\n');
          await once(socket, 'close');
          assert.match(output[1] ?? '', /got this/);
          const status = JSON.parse(output[3] ?? '');
          assert.deepEqual(
            [status.status, status.reason, status.details.causes],
            ['Failure', 'NonZeroExitCode', [{ reason: 'ExitCode', message: '4' }]],
          );
        });
      }

      test('v5.channel.k8s.io: the end of the input is transmitted, and the status is Success.', async () => {
        const { socket, output } = open(`${main}/exec?${sh('wc -c')}&stdin=1&stdout=1&stderr=1`, 'v5.channel.k8s.io');
        await once(socket, 'open');
        send(socket, 0, 'x'.repeat(70_000));
        socket.send(Buffer.from([255, 0]));
        const [code] = await once(socket, 'close');
        assert.deepEqual([code, output[1]?.trim(), JSON.parse(output[3] ?? '').status], [1000, '70000', 'Success']);
      });

      test('v5.channel.k8s.io: an unreachable node and a rejected request are reported as a Status.', async () => {
        await setup.node('away', 1);
        await setup.pod('away', { node: 'away' });
        const { socket, output } = open(`away/exec?command=true&stdout=1`, 'v5.channel.k8s.io');
        await once(socket, 'close');
        assert.match(
          JSON.parse(output[3] ?? '').message,
          /^Internal error occurred: error sending request: Post "https:.*refused$/,
        );
        const rejected = open(`${main}/exec?command=true`, 'v5.channel.k8s.io');
        await once(rejected.socket, 'close');
        assert.equal(
          JSON.parse(rejected.output[3] ?? '').message,
          'Internal error occurred: unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr',
        );
      });

      test('v5.channel.k8s.io: a slow client receives the whole output.', async () => {
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

      test('v5.channel.k8s.io: the command ends when its client disconnects.', async () => {
        const { socket, output } = open(
          `${main}/exec?${sh('echo $$; exec cat')}&stdin=1&stdout=1`,
          'v5.channel.k8s.io',
        );
        const pid = Number(await until('the command to run', () => output[1]?.trim() || undefined));
        socket.terminate();
        await until('the command to end', () => !isRunning(pid));
      });

      test('SPDY in a WebSocket: the tunnel uses the protocol that the kubelet selected.', async () => {
        const { server, token, caFile } = setup.system.tidegate;
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
        // an SPDY ping and its echo, each in a binary message; the mask of the first is zero
        const ping = '800300060000000400000001';
        socket.write(Buffer.from(`828c00000000${ping}`, 'hex'));
        let output = '';
        socket.on('data', (part: Buffer) => (output += part.toString('hex')));
        await until('the echo', () => output.replace(/82(0[1-9a-c])/g, '') === ping);
        socket.destroy();
      });
    });

    test('Streams require an upgrade and a pod with a node.', async () => {
      await setup.pod('homeless');
      for (const [path, message] of [
        [`${main}/exec?command=true`, 'Upgrade request required'],
        [`${main}/portforward`, 'Upgrade request required'],
        ['homeless/exec?command=true', 'pod homeless does not have a host assigned'],
        ['homeless/attach', 'pod homeless does not have a host assigned'],
      ]) {
        const { code, json } = await setup.client.request('POST', `${PODS}/${path}`);
        assert.deepEqual([code, json.message], [400, message]);
      }
    });
  });
}

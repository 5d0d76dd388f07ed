import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import { WebSocket, WebSocketServer } from 'ws';
import { NODES, PODS, type ProxySetup, publicAddress, SERVICES } from './proxy-setup.ts';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';

export function proxies(setupOf: () => ProxySetup): void {
  describe('Proxies', () => {
    let setup: ProxySetup;
    /** the proxy path of the pod `app` */
    let app: string;
    const get = (path: string, headers: Record<string, string> = {}) => setup.client.get(path, headers);

    before(async () => {
      setup = setupOf();
      await setup.pod('app', { node: 'plain', ip: '127.0.0.1', port: setup.app.port });
      app = `${PODS}/app/proxy`;
    });

    test('Every method is forwarded with path, query and body, and the answer is returned.', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const body = method === 'GET' ? undefined : `a body of ${method}`;
        const reply = await setup.client.request(method, `${app}/some/path/%2F?watch=maybe&a=b&a=%20`, { body });
        assert.equal(reply.code, 200);
        assert.deepEqual(
          [reply.json.method, reply.json.url, reply.json.body],
          [method, '/some/path/%2F?watch=maybe&a=b&a=%20', body ?? ''],
        );
      }
      const head = await setup.client.request('HEAD', `${app}/x`);
      assert.deepEqual([head.code, head.text, head.headers['content-type']], [200, '', 'application/json']);
    });

    test('Bodies of any size are forwarded over HTTP/1.1 and HTTP/2.', async () => {
      const body = Buffer.alloc(8 << 20, 'b');
      const { server, token, caFile } = setup.system.tidegate;
      let size = 0;
      setup.app.on('/size', async (received, response) => {
        size = 0;
        for await (const part of received) size += (part as Buffer).length;
        response.end(String(size));
      });
      assert.equal((await setup.client.request('PUT', `${app}/size`, { body })).text, String(body.length));
      const session = connect(server, { ca: readFileSync(caFile) });
      const stream = session.request({ ':method': 'POST', ':path': `${app}/size`, authorization: `Bearer ${token}` });
      stream.end(body);
      let text = '';
      for await (const part of stream.setEncoding('utf8')) text += part;
      session.close();
      assert.equal(text, String(body.length));
    });

    test('Identity headers and hop-by-hop headers are not forwarded.', async () => {
      const { json } = await get(`${app}/headers`, {
        'Impersonate-User': 'somebody',
        'Impersonate-Group': 'system:masters',
        'X-Remote-User': 'root',
        'X-Remote-Group': 'system:masters',
        Connection: 'X-Own',
        'X-Own': 'of this connection',
        'Keep-Alive': 'timeout=1',
        'Proxy-Authorization': 'Basic abc',
        Cookie: 'a=b',
        'X-Other': 'goes on',
        'X-Forwarded-For': '10.1.1.1',
      });
      const { host, ...rest } = json.headers;
      assert.equal(host, new URL(setup.system.tidegate.server).host);
      assert.deepEqual(rest, {
        cookie: 'a=b',
        'x-other': 'goes on',
        'x-forwarded-for': '10.1.1.1, 127.0.0.1',
        'x-forwarded-uri': `${app}/headers`,
        connection: 'close',
      });
    });

    test('Answers are passed on unchanged except for CORS headers.', async () => {
      setup.app.on('/answer', (_request, response) => {
        response.writeHead(418, {
          'Set-Cookie': ['a=1', 'b=2'],
          'Access-Control-Allow-Origin': '*',
          'X-Kept': 'yes',
          'Cache-Control': 'max-age=60',
        });
        response.end('short and stout');
      });
      const { code, headers, text } = await get(`${app}/answer`);
      assert.deepEqual(
        [code, text, headers['set-cookie'], headers['x-kept'], headers['cache-control']],
        [418, 'short and stout', ['a=1', 'b=2'], 'yes', 'max-age=60'],
      );
      assert.equal(headers['access-control-allow-origin'], undefined);
      assert.match(String(headers['audit-id']), /^[0-9a-f-]{36}$/);
    });

    test('A port is selected by number, with TLS for the scheme https.', async () => {
      await setup.pod('bare', { node: 'plain', ip: '127.0.0.1' });
      const { port } = setup.app;
      assert.equal((await get(`${PODS}/bare:${port}/proxy/x`)).json.url, '/x');
      assert.equal((await get(`${PODS}/http:bare:${port}/proxy/`)).json.url, '/');
      assert.equal((await get(`${PODS}/https:bare:${setup.secureApp.port}/proxy/y`)).json.url, '/y');
      for (const [name, message] of [
        ['ftp:bare:21', 'invalid pod request "ftp:bare:21"'],
        ['a:b:c:d', 'invalid pod request "a:b:c:d"'],
        ['bare:http', 'invalid port "http"'],
      ]) {
        const { code, json } = await get(`${PODS}/${name}/proxy/`);
        assert.deepEqual([code, json.message], [400, message]);
      }
    });

    test('A GET without a path is redirected to the path with a slash.', async () => {
      const { code, headers } = await get(`${app}?a=b`);
      assert.deepEqual([code, headers.location], [301, `${app}/?a=b`]);
      assert.equal((await setup.client.request('POST', app)).json.url, '/');
      assert.equal((await get(`${app}/`)).json.url, '/');
    });

    test('Links in pages and redirects are rewritten to the proxy path, and redirects are not followed.', async () => {
      const page = '<html><a href="/next?a=b">é</a><img src="x.png"><script>"/kept"</script></html>';
      const expected = page.replace('"/next', `"${app}/next`);
      setup.app.on('/page', (_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
      });
      setup.app.on('/packed', (_request, response) => {
        const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
        response.writeHead(200, headers).end(gzipSync(page));
      });
      assert.equal((await get(`${app}/page`)).text, expected);
      assert.equal(gunzipSync((await get(`${app}/packed`)).bytes).toString('utf8'), expected);

      const before = setup.app.received.length;
      const moves: Record<string, [from: string, to: string]> = {
        own: ['/elsewhere', `${app}/elsewhere`],
        whole: [`http://127.0.0.1:${setup.app.port}/elsewhere`, `${app}/elsewhere`],
        other: ['https://example.com/elsewhere', 'https://example.com/elsewhere'],
      };
      for (const [name, [from, to]] of Object.entries(moves)) {
        setup.app.on(`/moved/${name}`, (_request, response) => {
          response.writeHead(302, { Location: from }).end();
        });
        const { code, headers } = await get(`${app}/moved/${name}`);
        assert.deepEqual([code, headers.location], [302, to]);
      }
      assert.equal(setup.app.received.length, before);
    });

    test('A WebSocket is forwarded with its subprotocol and without the token.', async () => {
      const server = new WebSocketServer({ server: setup.app.server, path: '/echo' });
      server.on('connection', (socket, request) => {
        socket.send(`${request.url} ${request.headers['sec-websocket-protocol']} ${request.headers.authorization}`);
        socket.on('message', (data) => socket.send(`said ${data}`));
      });
      const { server: url, token, caFile } = setup.system.tidegate;
      const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
      const options = { ca: readFileSync(caFile) };
      const socket = new WebSocket(`${url.replace('https', 'wss')}${app}/echo?a=b`, [bearer, 'chat'], options);
      const [hello] = await once(socket, 'message');
      assert.equal(String(hello), '/echo?a=b chat undefined');
      assert.equal(socket.protocol, 'chat');
      socket.send('x'.repeat(100_000));
      const [echo] = await once(socket, 'message');
      assert.equal(String(echo).length, 100_005);
      socket.close(1000);
      await once(socket, 'close');
      server.close();
    });

    const skip = publicAddress === undefined && 'needs a network: endpoints of Services must not be loopback addresses';
    describe('Proxy of a Service', { skip }, () => {
      const targetRef = { kind: 'Pod', name: 'shop-1', namespace: 'default' };
      const ip = publicAddress ?? '';
      const through = (name: string, path = '/x') => get(`${SERVICES}/${name}/proxy${path}`);

      before(async () => {
        await setup.pod('shop-1', { node: 'plain', ip });
        const ports = [
          { name: 'web', port: 80, targetPort: 'web' },
          { name: 'secure', port: 443, targetPort: 'secure' },
        ];
        for (const name of ['shop', 'sliced', 'empty', 'foreign'])
          await setup.make(SERVICES, name, { spec: { ports } });
        const addresses = [{ ip, targetRef }];
        const found = [
          { name: 'web', port: setup.app.port },
          { name: 'secure', port: setup.secureApp.port },
        ];
        await setup.make(ENDPOINTS, 'shop', { subsets: [{ addresses, ports: found }] });
        await setup.make(ENDPOINTS, 'empty', { subsets: [] });
        const invalid = [{ ip }, { ip: '10.255.255.254', targetRef }];
        await setup.make(ENDPOINTS, 'foreign', { subsets: [{ addresses: invalid, ports: found }] });
        const slice = {
          metadata: { name: 'sliced-1', labels: { 'kubernetes.io/service-name': 'sliced' } },
          addressType: 'IPv4',
          endpoints: [
            { addresses: [ip], conditions: { ready: true }, targetRef },
            { addresses: ['10.255.255.254'], conditions: { ready: false }, targetRef },
          ],
          ports: found,
        };
        assert.equal((await setup.client.request('POST', SLICES, { body: slice })).code, 201);
      });

      test('Requests are forwarded to a pod of the Service, by the name or number of a port.', async () => {
        assert.equal((await through('shop:web')).json.url, '/x');
        assert.equal((await through('shop:80', '/a/b/?c')).json.url, '/a/b/?c');
        assert.equal((await through('https:shop:secure')).json.url, '/x');
        assert.equal((await through('https:shop:443')).json.url, '/x');
        assert.equal((await through('sliced:web')).json.url, '/x');
      });

      test('Without a ready pod, the proxy answers 503.', async () => {
        const errorOf = async (name: string) => {
          const { code, json } = await through(name);
          return [code, json.reason, json.message];
        };
        const unavailable = (message: string) => [503, 'ServiceUnavailable', message];
        assert.deepEqual(await errorOf('empty'), unavailable('no endpoints available for service "empty"'));
        assert.deepEqual(await errorOf('shop:other'), unavailable('no endpoints available for service "shop:other"'));
        assert.deepEqual(await errorOf('shop:81'), unavailable('no service port 81 found for service "shop"'));
        // addresses without a pod, and addresses that their pod does not have
        assert.deepEqual(await errorOf('foreign:web'), unavailable('no endpoints available for service "foreign:web"'));
        assert.deepEqual(await errorOf('never'), [404, 'NotFound', 'endpoints "never" not found']);
      });
    });

    describe('Proxy of a node', () => {
      test('The client certificate of the gateway is used for the kubelet port only.', async () => {
        const seen: boolean[] = [];
        for (const server of [setup.kubelet, setup.secureApp]) {
          server.on('/healthz', ({ socket }, response) => {
            seen.push((socket as TLSSocket).authorized);
            response.end('ok');
          });
        }
        for (const name of ['plain', `plain:${setup.kubelet.port}`, `https:plain:${setup.secureApp.port}`]) {
          assert.equal((await get(`${NODES}/${name}/proxy/healthz`)).text, 'ok');
        }
        assert.deepEqual(seen, [true, true, false]);
        assert.equal((await get(`${NODES}/plain:${setup.app.port}/proxy/x`)).json.url, '/x');
        assert.equal((await get(`${NODES}/nowhere/proxy/x`)).code, 404);
      });
    });
  });
}

import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { constants, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { serverPair, temporaryDir, until } from '@tidegate/testkit';
import { GatewayClient } from './gateway-client.ts';

test('The client sends the token of the token file, and reads the file again when it changes.', async () => {
  const dir = temporaryDir('gateway-client');
  const { ca, cert, key } = await serverPair(['localhost']);
  const [caFile, tokenFile] = [join(dir.path, 'ca.crt'), join(dir.path, 'token')];
  writeFileSync(caFile, ca);
  writeFileSync(tokenFile, 'first\n');
  const seen: string[] = [];
  const server = createSecureServer({ cert, key }, (request, response) => {
    seen.push(String(request.headers.authorization));
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const client = new GatewayClient({ url, caFile, certFile: '', keyFile: '', tokenFile });
  try {
    await client.send('GET', '/livez');
    assert.deepEqual(seen, ['Bearer first']);
    writeFileSync(`${tokenFile}.new`, 'second');
    renameSync(`${tokenFile}.new`, tokenFile);
    await until('the new token to be shown', async () => {
      await client.send('GET', '/livez');
      return seen.at(-1) === 'Bearer second';
    });
  } finally {
    client.close();
    server.close();
    dir.remove();
  }
});

test('A request whose stream the gateway refuses is sent once more.', async () => {
  const dir = temporaryDir('gateway-client');
  const { ca, cert, key } = await serverPair(['localhost']);
  const caFile = join(dir.path, 'ca.crt');
  writeFileSync(caFile, ca);
  let refusals = 1;
  const server = createSecureServer({ cert, key });
  server.on('stream', (stream: ServerHttp2Stream) => {
    if (refusals-- > 0) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    stream.respond({ ':status': 200 });
    stream.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const client = new GatewayClient({ url, caFile, certFile: '', keyFile: '' });
  try {
    assert.equal((await client.send('POST', '/api', { kept: true })).code, 200);
    refusals = 2;
    await assert.rejects(client.send('GET', '/api'), /the gateway took no more requests/);
  } finally {
    client.close();
    server.close();
    dir.remove();
  }
});

test('The constructor rejects a token file without a token.', () => {
  const dir = temporaryDir('gateway-client');
  const [caFile, tokenFile] = [join(dir.path, 'ca.crt'), join(dir.path, 'token')];
  writeFileSync(caFile, 'any');
  writeFileSync(tokenFile, '\n');
  try {
    assert.throws(() => new GatewayClient({ url: 'https://x', caFile, certFile: '', keyFile: '', tokenFile }), {
      message: `${tokenFile} has no token`,
    });
  } finally {
    dir.remove();
  }
});

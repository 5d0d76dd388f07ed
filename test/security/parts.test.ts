import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Client, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { type GrpcServer, grpcClient, openGrpcServer, peerCredentials } from '@tidegate/service-kit';
import { peerCertificates, type TestCertificates, until } from '@tidegate/testkit';
import { callers, grpcHealth, health, store, watch } from '@tidegate/wire';

const PARTS = ['gateway', 'health', 'store', 'watch'] as const;

function call(client: Client, method: unknown): Promise<ServiceError | undefined> {
  const { path, requestSerialize, responseDeserialize } = method as MethodDefinition<object, object>;
  const deadline = Date.now() + 20_000;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, (error) => {
      resolve(error ?? undefined);
    });
  });
}

describe('Authentication between parts', () => {
  let certificates: TestCertificates;
  let others: TestCertificates;
  let server: GrpcServer;
  let dir: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidegate-peers-'));
    [certificates, others] = await Promise.all([peerCertificates(), peerCertificates()]);
  });
  after(async () => {
    await server?.close(0);
    certificates.remove();
    others.remove();
    rmSync(dir, { recursive: true });
  });

  const opened = (files: ReturnType<TestCertificates['peerFiles']>) =>
    openGrpcServer({
      address: '127.0.0.1:0',
      credentials: peerCredentials(files).server,
      services: [
        [store, { head: (_: unknown, answer: (error: null, value: object) => void) => answer(null, {}) }],
        [health, { checks: (_: unknown, answer: (error: null, value: object) => void) => answer(null, {}) }],
      ],
    });

  test('A part may call only the methods for which the contract names it.', async () => {
    server = await opened(certificates.peerFiles('store'));
    for (const [method, path] of [
      [store.head, '/tidegate.store.v1.Store/Head'],
      [health.checks, '/tidegate.health.v1.Health/Checks'],
    ] as const) {
      for (const part of PARTS) {
        const credentials = peerCredentials(certificates.peerFiles(part));
        const client = grpcClient(`localhost:${server.port}`, credentials.client('store'));
        const error = await call(client, method);
        client.close();
        if (callers[path]?.includes(part)) assert.equal(error, undefined, `${part} ${path}`);
        else {
          assert.equal(error?.code, status.PERMISSION_DENIED, `${part} ${path}`);
          assert.match(error.details, new RegExp(`${path} is for .*, and the certificate is of "${part}"`));
        }
      }
    }
  });

  test('A client rejects servers with the certificate of another part or of another authority.', async () => {
    const as = peerCredentials(certificates.peerFiles('gateway'));
    const address = `localhost:${server.port}`;
    const wrongPart = grpcClient(address, as.client('watch'));
    const otherAuthority = { ...others.peerFiles('gateway'), peerCaFile: certificates.peerCaFile };
    const foreign = grpcClient(address, peerCredentials(otherAuthority).client('store'));
    for (const client of [wrongPart, foreign]) {
      assert.equal((await call(client, store.head))?.code, status.UNAVAILABLE);
      client.close();
    }
  });

  test('New certificate files are used without a restart, and the old ones while certificate and key do not match.', async () => {
    const files = { peerCertFile: join(dir, 'crt'), peerKeyFile: join(dir, 'key'), peerCaFile: join(dir, 'ca') };
    const both = join(dir, 'both');
    writeFileSync(both, [certificates, others].map(({ peerCaFile }) => readFileSync(peerCaFile, 'utf8')).join(''));
    const put = (from: TestCertificates, ...names: Array<'peerCertFile' | 'peerKeyFile'>) => {
      for (const name of names) copyFileSync(from.peerFiles('store')[name], files[name]);
    };
    put(certificates, 'peerCertFile', 'peerKeyFile');
    copyFileSync(both, files.peerCaFile);
    const changing = await opened(files);
    const reach = async (from: TestCertificates, peerCaFile = from.peerCaFile) => {
      const credentials = peerCredentials({ ...from.peerFiles('gateway'), peerCaFile });
      const client = grpcClient(`localhost:${changing.port}`, credentials.client('store'));
      const error = await call(client, store.head);
      client.close();
      return error === undefined;
    };
    assert.deepEqual([await reach(certificates), await reach(others)], [true, false]);
    put(others, 'peerCertFile');
    assert.equal(await reach(certificates), true);
    put(others, 'peerKeyFile');
    await until('the new certificate to be shown', () => reach(others));
    assert.deepEqual([await reach(certificates), await reach(certificates, both)], [false, true]);
    copyFileSync(others.peerCaFile, files.peerCaFile);
    await until('the old authority to be dropped', async () => !(await reach(certificates, both)));
    assert.equal(await reach(others), true);
    await changing.close(0);
  });

  test('The table of allowed callers has every method of every contract.', () => {
    const methods = [store, watch, health, grpcHealth].flatMap((definition) =>
      Object.values(definition).map(({ path }) => path),
    );
    assert.deepEqual(Object.keys(callers).sort(), methods.sort());
  });
});

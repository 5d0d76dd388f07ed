import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Client } from '@grpc/grpc-js';
import { grpcClient, peerCredentials } from '@tidegate/service-kit';
import { freePort, programFile, type TestCertificates } from '@tidegate/testkit';
import type { SessionRequest, SessionResponse } from '@tidegate/wire';
import { openSession, openStream } from './store-process.ts';

/** A store in its own process, which can be stopped, continued and killed. */
export interface SpawnedStore {
  readonly pid: number;
  ask(request: Omit<SessionRequest, 'id'>): Promise<SessionResponse>;
  stream<Response>(method: 'list' | 'readLog' | 'followLog', request: object): AsyncIterable<Response>;
  end(): Promise<void>;
}

export async function spawnStore(certificates: TestCertificates, postgresUrl: string): Promise<SpawnedStore> {
  const files = certificates.peerFiles('store');
  const [port, opsPort] = [await freePort(), await freePort()];
  const flags = [
    `--grpc-address=127.0.0.1:${port}`,
    `--ops-address=127.0.0.1:${opsPort}`,
    `--peer-cert-file=${files.peerCertFile}`,
    `--peer-key-file=${files.peerKeyFile}`,
    `--peer-ca-file=${files.peerCaFile}`,
    '--allow-data-loss',
    '--log-level=error',
  ];
  const env = { ...process.env, TIDEGATE_POSTGRES_URL: postgresUrl };
  const child: ChildProcess = spawn(process.execPath, [await programFile('store'), ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  });
  const exited = once(child, 'exit');
  const client: Client = grpcClient(
    `localhost:${port}`,
    peerCredentials(certificates.peerFiles('gateway')).client('store'),
  );
  await new Promise<void>((resolve, reject) =>
    client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve())),
  );
  const session = openSession(client);
  return {
    pid: child.pid as number,
    ask: session.ask,
    stream: (method, request) => openStream(client, method, request),
    async end() {
      child.kill('SIGKILL');
      await exited;
      client.close();
    },
  };
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client, credentials, type MethodDefinition, status } from '@grpc/grpc-js';
import { grpcClient, peerCredentials } from '@tidegate/service-kit';
import { type Cluster, freePort, startCluster, until } from '@tidegate/testkit';
import { grpcHealth, type HealthCheckRequest, type HealthCheckResponse, health, servingStatus } from '@tidegate/wire';

describe('The gRPC health protocol', () => {
  const open = new Map<string, Client>();
  let cluster: Cluster;
  let peer: Client;
  before(async () => {
    const ports = new Map<string, string>();
    for (const part of ['gateway', 'store', 'watch']) ports.set(part, `127.0.0.1:${await freePort()}`);
    const flags = Object.fromEntries([...ports].map(([part, address]) => [part, { 'grpc-health-address': address }]));
    cluster = await startCluster({ replicas: 1, nats: false, flags });
    for (const [part, address] of ports) open.set(part, new Client(address, credentials.createInsecure()));
    const files = cluster.certificates.peerFiles('watch');
    peer = grpcClient(cluster.stores[0] as string, peerCredentials(files).client('store'));
  });
  after(async () => {
    for (const client of open.values()) client.close();
    peer?.close();
    await cluster?.stop();
  });

  const { path, requestSerialize, responseDeserialize } = grpcHealth.check as MethodDefinition<
    HealthCheckRequest,
    HealthCheckResponse
  >;
  const check = (client: Client, service = ''): Promise<number | string> =>
    new Promise((resolve) =>
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, answer) =>
        resolve(error === null ? (answer?.status as number) : (status[error.code] as string)),
      ),
    );
  const at = (part: string) => open.get(part) as Client;

  test('Every part serves it: unencrypted at a configured address, and to peers with certificates.', async () => {
    for (const part of open.keys()) {
      await until(`${part} to serve`, async () => (await check(at(part))) === servingStatus.serving);
      assert.equal(await check(at(part), 'livez'), servingStatus.serving);
      assert.equal(await check(at(part), 'none'), 'NOT_FOUND');
    }
    assert.equal(await check(peer), servingStatus.serving);
  });

  test('The unencrypted address serves no other method.', async () => {
    const checks = health.checks as MethodDefinition<object, object>;
    const code = await new Promise((resolve) =>
      at('store').makeUnaryRequest(checks.path, checks.requestSerialize, checks.responseDeserialize, {}, (error) =>
        resolve(error?.code),
      ),
    );
    assert.equal(code, status.UNIMPLEMENTED);
  });

  test('Watch reports when PostgreSQL is lost and when it is back; liveness does not change.', async () => {
    const watching = grpcHealth.watch as MethodDefinition<HealthCheckRequest, HealthCheckResponse>;
    const statuses: number[] = [];
    const call = peer.makeServerStreamRequest(watching.path, watching.requestSerialize, watching.responseDeserialize, {
      service: 'readyz',
    });
    call.on('data', (answer: HealthCheckResponse) => statuses.push(answer.status));
    call.on('error', () => {});
    await until('the first status', () => statuses.length === 1);
    await cluster.postgres.kill();
    await until('the loss to be reported', () => statuses.length === 2);
    assert.equal(await check(at('store'), 'livez'), servingStatus.serving);
    await cluster.postgres.restart();
    await until('the recovery to be reported', () => statuses.length === 3);
    assert.deepEqual(statuses, [servingStatus.serving, servingStatus.notServing, servingStatus.serving]);
    call.cancel();
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Client, credentials, ServerCredentials, status } from '@grpc/grpc-js';
import { grpcHealth } from '@tidegate/wire';
import { Checks } from './checks.ts';
import { type GrpcServer, openGrpcServer } from './grpc.ts';
import { servingStatusImplementation } from './serving-status.ts';

const checks = new Checks();
const listeners = new Set<() => void>();
let trouble: string | undefined;
let wedged: string | undefined;
let server: GrpcServer;
let client: Client;

before(async () => {
  checks.add('postgres', () => trouble, { wedged: () => wedged });
  const every = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  server = await openGrpcServer({
    address: '127.0.0.1:0',
    credentials: ServerCredentials.createInsecure(),
    services: [[grpcHealth, servingStatusImplementation(checks, every)]],
    isOpen: true,
  });
  client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
});
after(async () => {
  client.close();
  await server.close(0);
});

/** In the published contract field 1 of the request is a string, and field 1 of the response is an enum. */
const request = (service: string) => Buffer.from([0x0a, service.length, ...Buffer.from(service)]);
const SERVING = Buffer.from([0x08, 1]);
const NOT_SERVING = Buffer.from([0x08, 2]);
const SERVICE_UNKNOWN = Buffer.from([0x08, 3]);
const asIs = (bytes: Buffer) => bytes;

function check(service: string): Promise<Buffer | number> {
  return new Promise((resolve) => {
    const bytes = service === '' ? Buffer.alloc(0) : request(service);
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, bytes, (error, answer) =>
      resolve(error === null ? (answer as Buffer) : error.code),
    );
  });
}

test('Check returns readiness by default, liveness by name, and NOT_FOUND for unknown services.', async () => {
  assert.deepEqual(await Promise.all(['', 'readyz', 'livez', 'healthz'].map(check)), new Array(4).fill(SERVING));
  trouble = 'away';
  assert.deepEqual(await Promise.all(['', 'readyz', 'livez'].map(check)), [NOT_SERVING, NOT_SERVING, SERVING]);
  wedged = 'stuck';
  assert.deepEqual(await check('livez'), NOT_SERVING);
  trouble = wedged = undefined;
  assert.equal(await check('constructor'), status.NOT_FOUND);
});

test('Watch sends the status at once and at every change, and releases its timer when the call ends.', async () => {
  const call = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', asIs, asIs, request('readyz'));
  const received: Buffer[] = [];
  call.on('data', (bytes: Buffer) => received.push(bytes));
  call.on('error', () => {});
  const next = async (count: number) => {
    while (received.length < count) await once(call, 'data');
  };
  await next(1);
  for (const now of [undefined, 'away', 'away', undefined]) {
    trouble = now;
    for (const listener of listeners) listener();
  }
  await next(3);
  assert.deepEqual(received, [SERVING, NOT_SERVING, SERVING]);
  call.cancel();
  await once(call, 'error').catch(() => {});
  // the server notices the cancellation a moment later, before it responds to another call
  while (listeners.size > 0) await check('');
  assert.equal(listeners.size, 0);
});

test('Watch reports SERVICE_UNKNOWN for an unknown service, and stays open.', async () => {
  const call = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', asIs, asIs, request('none'));
  call.on('error', () => {});
  const [first] = await once(call, 'data');
  assert.deepEqual(first, SERVICE_UNKNOWN);
  assert.equal(listeners.size, 1);
  call.cancel();
});

import type { MethodDefinition } from '@grpc/grpc-js';
import { grpcClient, peerCredentials } from '@tidegate/service-kit';
import type { Cluster } from '@tidegate/testkit';
import { outcomeKind, type SessionRequest, type SessionResponse, store, type Write, writeKind } from '@tidegate/wire';

const BATCH = 500;
const NAMESPACE = 'many';

/** Writes ConfigMaps directly into a store, because a gateway would take minutes. Returns the number of bytes. */
export async function fillStore({ stores, certificates }: Cluster, count: number, bytes: number): Promise<number> {
  const client = grpcClient(stores[0] as string, peerCredentials(certificates.peerFiles('gateway')).client('store'));
  const { path, requestSerialize, responseDeserialize } = store.session as MethodDefinition<
    SessionRequest,
    SessionResponse
  >;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  let written = 0;
  for (let first = 0; first < count; first += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) => creation(first + i, bytes));
    for (const { value } of writes) written += value?.length ?? 0;
    const answered = new Promise<SessionResponse>((resolve, reject) => {
      call.once('data', resolve);
      call.once('error', reject);
    });
    call.write({ id: first + 1, writes });
    const { writes: outcomes } = await answered;
    const failed = outcomes.find(({ kind }) => kind !== outcomeKind.committed);
    if (failed !== undefined) throw new Error(`a write failed: ${failed.message}`);
    call.removeAllListeners('error');
  }
  call.on('error', () => {});
  call.end();
  client.close();
  return written;
}

function creation(i: number, bytes: number): Write {
  const name = `object-${String(i).padStart(7, '0')}`;
  const head = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","namespace":"${NAMESPACE}","uid":"${i}"`;
  const tail = '},"data":{"text":""}}';
  const text = 'x'.repeat(bytes - head.length - tail.length);
  const operationId = Buffer.alloc(16);
  operationId.writeUInt32BE(i + 1, 12);
  return {
    kind: writeKind.create,
    key: { resource: 'configmaps', namespace: NAMESPACE, name },
    operationId,
    value: Buffer.from(`${head}},"data":{"text":"${text}"}}`),
    splice: head.length,
    uid: String(i),
  };
}

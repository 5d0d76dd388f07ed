import type { Client, ClientDuplexStream, MethodDefinition } from '@grpc/grpc-js';
import {
  CertificateTimes,
  Checks,
  Faults,
  grpcClient,
  LoadMeter,
  LoopWatch,
  MetricRegistry,
  openGrpcServer,
  peerCredentials,
  Retries,
  readOptions,
} from '@tidegate/service-kit';
import type { TestCertificates } from '@tidegate/testkit';
import { type SessionRequest, type SessionResponse, store } from '@tidegate/wire';
import { options, type StoreConfig } from '../config.ts';
import { StoreService } from '../service.ts';
import { noTracing, silentLog } from './fixture.ts';

/** A whole store in this process; tests call it over gRPC as a gateway does. */
export interface TestStore {
  readonly service: StoreService;
  readonly checks: Checks;
  readonly metrics: MetricRegistry;
  ask(request: Omit<SessionRequest, 'id'>): Promise<SessionResponse>;
  stream<Response>(method: 'list' | 'readLog' | 'followLog', request: object): AsyncIterable<Response>;
  stop(): Promise<void>;
}

export async function startStore(
  certificates: TestCertificates,
  config: Pick<StoreConfig, 'postgresUrl'> & Partial<StoreConfig>,
): Promise<TestStore> {
  const credentials = peerCredentials(certificates.peerFiles('store'));
  const checks = new Checks();
  const metrics = new MetricRegistry();
  const kit = {
    part: 'store',
    instance: 'test',
    log: silentLog,
    checks,
    load: new LoadMeter(),
    loop: new LoopWatch(silentLog, metrics),
    metrics,
    retries: new Retries(silentLog, metrics),
    faults: new Faults(silentLog, metrics),
    tracing: noTracing,
    credentials,
    certificates: new CertificateTimes(metrics),
  };
  const required = ['postgres-url', 'peer-cert-file', 'peer-key-file', 'peer-ca-file'].map((name) => `--${name}=`);
  const service = new StoreService({ ...readOptions(options, required, {}), allowDataLoss: true, ...config }, kit);
  const server = await openGrpcServer({
    address: '127.0.0.1:0',
    credentials: credentials.server,
    services: service.rpc,
  });
  await service.start();
  const address = `localhost:${server.port}`;
  const as = (part: 'gateway' | 'watch') =>
    grpcClient(address, peerCredentials(certificates.peerFiles(part)).client('store'));
  const [client, watch] = [as('gateway'), as('watch')];
  const session = openSession(client);
  return {
    service,
    checks,
    metrics,
    ask: session.ask,
    stream: (method, request) => openStream(method === 'followLog' ? watch : client, method, request),
    async stop() {
      session.end();
      await service.drain();
      client.close();
      watch.close();
      await server.close(500);
      await service.stop();
    },
  };
}

export function openSession(client: Client) {
  const { path, requestSerialize, responseDeserialize } = store.session as MethodDefinition<
    SessionRequest,
    SessionResponse
  >;
  const call: ClientDuplexStream<SessionRequest, SessionResponse> = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
  );
  const waiting = new Map<number, (response: SessionResponse) => void>();
  let id = 0;
  call.on('data', (response: SessionResponse) => {
    waiting.get(response.id)?.(response);
    waiting.delete(response.id);
  });
  // an error of a connection that the test has closed
  call.on('error', () => {});
  return {
    ask: (request: Omit<SessionRequest, 'id'>) =>
      new Promise<SessionResponse>((resolve) => {
        waiting.set(++id, resolve);
        call.write({ id, ...request });
      }),
    end: () => call.end(),
  };
}

export async function* openStream<Response>(client: Client, method: string, request: object): AsyncIterable<Response> {
  const { path, requestSerialize, responseDeserialize } = store[method] as MethodDefinition<object, Response>;
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
  try {
    yield* call as AsyncIterable<Response>;
  } finally {
    // an error of a connection that the test has closed
    call.on('error', () => {});
    call.cancel();
  }
}

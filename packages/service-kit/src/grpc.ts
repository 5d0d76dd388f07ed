import { rmSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientOptions,
  credentials,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { guarded } from './callers.ts';

/** Some messages are batched by count and not by size, so they may hold several objects of 3 MiB. */
const MAX_MESSAGE_BYTES = 64 << 20;

/** Per connection. A gateway has one stream for each list that it forwards, and few others. */
const MAX_STREAMS = 2000;

const channelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.min_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc-node.flow_control_window': 1 << 20,
} satisfies ChannelOptions;

/** A client without generated methods: callers use makeUnaryRequest and the like with the contract's definitions. */
export function grpcClient(
  address: string,
  channelCredentials: ChannelCredentials,
  options: ClientOptions = {},
): Client {
  const chosen = isSocket(address) ? credentials.createInsecure() : channelCredentials;
  return new Client(address, chosen, { ...channelOptions, ...nameOf(address), ...options });
}

/**
 * Parts on one machine may connect through a Unix socket, `unix:/path`, in a private directory. The file permissions
 * authenticate the peer, so TLS is not used.
 */
function isSocket(address: string): boolean {
  return address.startsWith('unix:');
}

/**
 * TLS does not allow IP addresses as server names, so parts at an IP address must have a certificate for `localhost`.
 */
function nameOf(address: string): ChannelOptions {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'localhost' };
}

export interface GrpcServer {
  readonly port: number;
  /** Rejects new calls and waits for active ones; after graceMs the remaining calls are aborted. */
  close(graceMs: number): Promise<void>;
}

interface GrpcServerOptions {
  address: string;
  credentials: ServerCredentials;
  services: ReadonlyArray<readonly [ServiceDefinition, UntypedServiceImplementation]>;
  /** without TLS and authentication */
  isOpen?: boolean;
}

export async function openGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const server = new Server({ ...channelOptions, 'grpc.max_concurrent_streams': MAX_STREAMS });
  // a Unix socket has no certificates: every process that can open it may call all methods
  const isOpen = options.isOpen ?? isSocket(options.address);
  for (const [definition, implementation] of options.services) {
    server.addService(definition, isOpen ? implementation : guarded(definition, implementation));
  }
  // a part that was killed leaves its socket behind; no other part uses this path
  if (isSocket(options.address)) rmSync(options.address.slice('unix:'.length), { force: true });
  const port = await new Promise<number>((resolve, reject) => {
    const chosen = isOpen ? ServerCredentials.createInsecure() : options.credentials;
    server.bindAsync(options.address, chosen, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => {
          server.forceShutdown();
          // tryShutdown also waits for connections that have not finished their handshake
          resolve();
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

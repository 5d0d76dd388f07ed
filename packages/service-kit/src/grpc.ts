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

/** A message that was packed by number and not by size may hold several objects of 3 MiB. */
const MAX_MESSAGE_BYTES = 64 << 20;

/** Of one connection. A gateway has a stream for each list that it passes on, and few others. */
const MOST_STREAMS = 2000;

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

/** A client without generated methods: callers use makeUnaryRequest and its siblings with the contract's definitions. */
export function grpcClient(
  address: string,
  channelCredentials: ChannelCredentials,
  options: ClientOptions = {},
): Client {
  const chosen = isSocket(address) ? credentials.createInsecure() : channelCredentials;
  return new Client(address, chosen, { ...channelOptions, ...nameOf(address), ...options });
}

/**
 * Parts on one machine may meet at a Unix socket, `unix:/path`, in a directory that nobody else can enter: the kernel
 * keeps strangers out, so there is nothing to prove and nothing to encrypt.
 */
function isSocket(address: string): boolean {
  return address.startsWith('unix:');
}

/** TLS names no server by an IP address: a part on this machine proves that it is `localhost`. */
function nameOf(address: string): ChannelOptions {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'localhost' };
}

export interface GrpcServer {
  readonly port: number;
  /** Stops taking calls and waits for those under way; after graceMs the rest is cut off. */
  close(graceMs: number): Promise<void>;
}

interface GrpcServerOptions {
  address: string;
  credentials: ServerCredentials;
  services: ReadonlyArray<readonly [ServiceDefinition, UntypedServiceImplementation]>;
  /** for everybody who reaches it: without TLS, and without asking who it is */
  isOpen?: boolean;
}

export async function openGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const server = new Server({ ...channelOptions, 'grpc.max_concurrent_streams': MOST_STREAMS });
  // at a socket there are no certificates: who can open it may call everything
  const isOpen = options.isOpen ?? isSocket(options.address);
  for (const [definition, implementation] of options.services) {
    server.addService(definition, isOpen ? implementation : guarded(definition, implementation));
  }
  // a part that was killed leaves its socket behind, and nobody else has this path
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
          // a connection that has not said who it is would be waited for
          resolve();
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

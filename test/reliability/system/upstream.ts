import type { Client, ClientDuplexStream, MethodDefinition, ServerDuplexStream } from '@grpc/grpc-js';

/** Opens the same call at the real part. The two calls end together; the caller forwards the messages. */
export function openUpstream<Request, Response>(
  client: Client,
  method: unknown,
  call: ServerDuplexStream<Request, Response>,
): ClientDuplexStream<Request, Response> {
  const { path, requestSerialize, responseDeserialize } = method as MethodDefinition<Request, Response>;
  const upstream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  call.on('end', () => upstream.end());
  call.on('cancelled', () => upstream.cancel());
  call.on('error', () => upstream.cancel());
  upstream.on('end', () => call.end());
  upstream.on('error', (error) => call.emit('error', error));
  return upstream;
}

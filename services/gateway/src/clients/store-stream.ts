import type { Client, ClientReadableStream, MethodDefinition, ServiceError } from '@grpc/grpc-js';
import { serviceUnavailable } from '@tidegate/status';
import { fromServiceError } from '@tidegate/wire';

/** A request lasts no longer; a client that is so slow begins again where it was. */
const LIMIT_MS = 60_000;

/**
 * A stream of the store's answers. The store sends on as they are taken, so that few are in memory; whoever takes no
 * more ends the call.
 */
export async function* storeStream<Request, Response>(
  client: Client,
  method: MethodDefinition<Request, Response>,
  request: Request,
): AsyncGenerator<Response> {
  const { path, requestSerialize, responseDeserialize } = method;
  const call: ClientReadableStream<Response> = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    { deadline: Date.now() + LIMIT_MS },
  );
  try {
    yield* call as AsyncIterable<Response>;
  } catch (error) {
    const told = fromServiceError(error as ServiceError);
    throw told ?? serviceUnavailable('the store cannot be reached, please try again');
  } finally {
    call.on('error', () => {});
    call.cancel();
  }
}

import { type Client, type ClientReadableStream, status as grpc, type MethodDefinition } from '@grpc/grpc-js';
import { cancelCall, Retry } from '@tidegate/service-kit';
import { ApiError, serviceUnavailable } from '@tidegate/status';
import { fromServiceError, type ListPage, type ListRequest, type LogBatch, type ReadLogRequest } from '@tidegate/wire';

interface StoreStream<Request, Response> {
  /** the replica for the first, second, third attempt */
  client: (attempt: number) => Client;
  method: MethodDefinition<Request, Response>;
  request: Request;
  /** the request that resumes the stream after this answer; undefined: the stream is complete */
  rest: (request: Request, response: Response) => Request | undefined;
  /** called when a broken stream is resumed */
  resumed: () => void;
  /** the time without any answer after which the stream fails */
  giveUpAfterMs?: number;
  /** the time without an answer after which the next replica is tried */
  silenceMs?: number;
}

/** A call holds a transaction open in the store, so a longer stream continues in another call. */
const CALL_MS = 60_000;
const SILENCE_MS = 10_000;
const GIVE_UP_AFTER_MS = 30_000;
const PAUSES = { firstMs: 100, longestMs: 1000 };

const BROKEN: readonly unknown[] = [
  grpc.CANCELLED,
  grpc.UNKNOWN,
  grpc.DEADLINE_EXCEEDED,
  grpc.INTERNAL,
  grpc.UNAVAILABLE,
];

/**
 * A stream of answers from the store, with backpressure: the store sends no faster than the consumer reads, and the
 * call is cancelled when the consumer stops.
 *
 * Invariant: each answer is delivered once, in order, even across replicas: where a stream breaks, the next replica is
 * asked for the rest.
 */
export async function* storeStream<Request, Response>(
  options: StoreStream<Request, Response>,
): AsyncGenerator<Response> {
  const { rest, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  let { request } = options;
  let answeredAt = performance.now();
  const retry = new Retry({ ...PAUSES, failed: options.resumed });
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const response of answers(options, attempt, request)) {
        const next = rest(request, response);
        retry.succeeded();
        yield response;
        // the consumer's time does not count
        answeredAt = performance.now();
        if (next === undefined) return;
        request = next;
      }
      return;
    } catch (error) {
      const apiError = apiErrorOf(error);
      if (performance.now() - answeredAt > giveUpAfterMs || !mayGoOn(error, apiError))
        throw apiError ?? serviceUnavailable('the store cannot be reached, please try again');
      await retry.failed(error);
    }
  }
}

async function* answers<Request, Response>(
  options: StoreStream<Request, Response>,
  attempt: number,
  request: Request,
): AsyncGenerator<Response> {
  const { client, method, silenceMs = SILENCE_MS } = options;
  const { path, requestSerialize, responseDeserialize } = method;
  const call: ClientReadableStream<Response> = client(attempt).makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    { deadline: Date.now() + CALL_MS },
  );
  const responses = (call as AsyncIterable<Response>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const silence = setTimeout(() => cancelCall(call), silenceMs);
      const { done, value } = await responses.next().finally(() => clearTimeout(silence));
      if (done === true) return;
      yield value;
    }
  } finally {
    // the cancellation is reported as an error event, too
    call.on('error', () => {});
    cancelCall(call);
  }
}

function apiErrorOf(error: unknown): ApiError | undefined {
  return error instanceof ApiError ? error : fromServiceError(error as Parameters<typeof fromServiceError>[0]);
}

/** Whether another replica may succeed: after a broken call, or when the store cannot reach PostgreSQL. */
function mayGoOn(error: unknown, apiError: ApiError | undefined): boolean {
  return apiError === undefined ? BROKEN.includes((error as { code?: unknown }).code) : apiError.code === 503;
}

/** The request for the rest of a list: after the page's last key, at the page's revision. */
export function restOfList(request: ListRequest, { revision, objects }: ListPage): ListRequest | undefined {
  const last = objects.at(-1);
  if (last === undefined) return { ...request, revision };
  const { namespace, name } = last.key;
  const { limit = 0 } = request;
  if (limit > 0 && objects.length >= limit) return undefined;
  const left = limit === 0 ? 0 : limit - objects.length;
  return { ...request, revision, afterNamespace: namespace, afterName: name, limit: left };
}

/** The request for the rest of the log after a batch. */
export function restOfLog(request: ReadLogRequest, { last }: LogBatch): ReadLogRequest | undefined {
  const { through = 0 } = request;
  return through > 0 && last >= through ? undefined : { ...request, after: last };
}

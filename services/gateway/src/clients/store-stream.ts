import { type Client, type ClientReadableStream, status as grpc, type MethodDefinition } from '@grpc/grpc-js';
import { cancelCall, Retry } from '@tidegate/service-kit';
import { ApiError, serviceUnavailable } from '@tidegate/status';
import { fromServiceError, type ListPage, type ListRequest, type LogBatch, type ReadLogRequest } from '@tidegate/wire';

interface StoreStream<Request, Response> {
  /** the replica for the first, second, third attempt */
  client: (attempt: number) => Client;
  method: MethodDefinition<Request, Response>;
  request: Request;
  /** what is to be asked when the stream breaks after this answer; undefined: nothing is missing */
  rest: (request: Request, response: Response) => Request | undefined;
  /** the stream broke, and goes on */
  resumed: () => void;
  /** how long no replica may answer anything */
  patienceMs?: number;
  /** how long one may be asked without answering */
  silenceMs?: number;
}

/** A call holds a transaction open in the store: a longer stream goes on in another call. */
const CALL_MS = 60_000;
const SILENCE_MS = 10_000;
const PATIENCE_MS = 30_000;
const PAUSES = { firstMs: 100, longestMs: 1000 };

const BROKEN: readonly unknown[] = [
  grpc.CANCELLED,
  grpc.UNKNOWN,
  grpc.DEADLINE_EXCEEDED,
  grpc.INTERNAL,
  grpc.UNAVAILABLE,
];

/**
 * A stream of the store's answers. The store sends on as they are taken, so that few are in memory; whoever takes no
 * more ends the call.
 *
 * Invariant: each answer comes once, in order, whichever replicas gave them: where a stream breaks, the next replica is
 * asked for what is missing.
 */
export async function* storeStream<Request, Response>(
  options: StoreStream<Request, Response>,
): AsyncGenerator<Response> {
  const { rest, patienceMs = PATIENCE_MS } = options;
  let { request } = options;
  let answeredAt = performance.now();
  const retry = new Retry({ ...PAUSES, failed: options.resumed });
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const response of answers(options, attempt, request)) {
        const next = rest(request, response);
        retry.succeeded();
        yield response;
        // the time until here was the taker's
        answeredAt = performance.now();
        if (next === undefined) return;
        request = next;
      }
      return;
    } catch (error) {
      const told = toldBy(error);
      if (performance.now() - answeredAt > patienceMs || !mayGoOn(error, told))
        throw told ?? serviceUnavailable('the store cannot be reached, please try again');
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
    // the cancellation that follows is told as an error, too
    call.on('error', () => {});
    cancelCall(call);
  }
}

function toldBy(error: unknown): ApiError | undefined {
  return error instanceof ApiError ? error : fromServiceError(error as Parameters<typeof fromServiceError>[0]);
}

/** A store that cannot reach PostgreSQL says so; another one may. What else it tells another would tell, too. */
function mayGoOn(error: unknown, told: ApiError | undefined): boolean {
  return told === undefined ? BROKEN.includes((error as { code?: unknown }).code) : told.code === 503;
}

/** What a list still lacks after a page of it: what follows the page's last key, at the revision that it told. */
export function restOfList(request: ListRequest, { revision, objects }: ListPage): ListRequest | undefined {
  const last = objects.at(-1);
  if (last === undefined) return { ...request, revision };
  const { namespace, name } = last.key;
  const { limit = 0 } = request;
  if (limit > 0 && objects.length >= limit) return undefined;
  const left = limit === 0 ? 0 : limit - objects.length;
  return { ...request, revision, afterNamespace: namespace, afterName: name, limit: left };
}

/** What a read of the log still lacks after a batch of it. */
export function restOfLog(request: ReadLogRequest, { last }: LogBatch): ReadLogRequest | undefined {
  const { through = 0 } = request;
  return through > 0 && last >= through ? undefined : { ...request, after: last };
}

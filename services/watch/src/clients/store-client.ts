import type { CallOptions, ClientReadableStream, MethodDefinition, ServiceError } from '@grpc/grpc-js';
import { cancelCall, type Kit, Replicas } from '@tidegate/service-kit';
import {
  type DigestResponse,
  type FollowLogRequest,
  fromServiceError,
  type HeadResponse,
  type ListPage,
  type ListRequest,
  type LogBatch,
  type ReadLogRequest,
  store,
} from '@tidegate/wire';

/** the timeouts of calls; after a timeout the caller repeats the call at another replica */
const HEAD_MS = 5000;
const DIGEST_MS = 60_000;
const LIST_MS = 120_000;
const READ_LOG_MS = 10_000;

/** Calls the stores. After a failure the next call goes to the next replica. */
export class StoreClient {
  readonly #stores: Replicas;

  constructor(names: readonly string[], credentials: ReturnType<Kit['credentials']['client']>) {
    this.#stores = new Replicas({ names, credentials });
  }

  head(): Promise<HeadResponse> {
    return this.#call<HeadResponse>('head', HEAD_MS);
  }

  digest(): Promise<DigestResponse> {
    return this.#call<DigestResponse>('digest', DIGEST_MS);
  }

  list(request: ListRequest): AsyncIterable<ListPage> {
    return this.#stream('list', request, { deadline: Date.now() + LIST_MS });
  }

  readLog(request: ReadLogRequest): AsyncIterable<LogBatch> {
    return this.#stream('readLog', request, { deadline: Date.now() + READ_LOG_MS });
  }

  followLog(request: FollowLogRequest, closing: AbortSignal): AsyncIterable<LogBatch> {
    return this.#stream('followLog', request, {}, closing);
  }

  close(): void {
    this.#stores.close();
  }

  #call<Response>(method: string, timeoutMs: number): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = store[method] as MethodDefinition<object, Response>;
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + timeoutMs;
      this.#stores
        .client()
        .makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, (error, value) => {
          if (error === null) resolve(value as Response);
          else reject(this.#failed(error));
        });
    });
  }

  async *#stream<Request, Response>(
    method: string,
    request: Request,
    options: CallOptions,
    closing?: AbortSignal,
  ): AsyncIterable<Response> {
    const { path, requestSerialize, responseDeserialize } = store[method] as MethodDefinition<Request, Response>;
    const call: ClientReadableStream<Response> = this.#stores
      .client()
      .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, options);
    const cancel = () => cancelCall(call);
    closing?.addEventListener('abort', cancel, { once: true });
    try {
      yield* call as AsyncIterable<Response>;
    } catch (error) {
      throw this.#failed(error as ServiceError);
    } finally {
      closing?.removeEventListener('abort', cancel);
      // an error of the cancellation that follows
      call.on('error', () => {});
      cancelCall(call);
    }
  }

  #failed(error: ServiceError): Error {
    const known = fromServiceError(error);
    if (known === undefined) this.#stores.next();
    return known ?? error;
  }
}

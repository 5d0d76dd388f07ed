import type { ClientReadableStream, MethodDefinition, ServiceError } from '@grpc/grpc-js';
import { cancelCall, type Kit, Replicas, Retry } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import { type CollectionListRequest, fromServiceError, type ListPart, watch } from '@tidegate/wire';

/** The longest time of a list. */
const LIMIT_MS = 60_000;
/** The time without a reachable replica after which a list fails. */
const GIVE_UP_AFTER_MS = 10_000;
const PAUSES = { firstMs: 50, longestMs: 1000 };

/**
 * Lists of collections that this process does not mirror, from the watch service.
 *
 * Invariant: all parts of a list belong to one snapshot, even across replicas: when a replica fails, the next one
 * continues after the last received object, at exactly the same revision.
 */
export class WatchLists {
  readonly #watchServices: Replicas;
  readonly #resumed: () => void;

  /** resumed: called when a list continues at another replica */
  constructor(
    names: readonly string[],
    credentials: ReturnType<Kit['credentials']['client']>,
    resumed: () => void = () => {},
  ) {
    this.#watchServices = new Replicas({ names, credentials });
    this.#resumed = resumed;
  }

  async *list(request: CollectionListRequest): AsyncGenerator<ListPart> {
    const deadline = Date.now() + LIMIT_MS;
    let rest = request;
    let begun = false;
    const retry = new Retry({ ...PAUSES, failed: this.#resumed });
    for (let answeredAt = performance.now(); ; ) {
      try {
        for await (const part of this.#parts(rest, deadline)) {
          answeredAt = performance.now();
          retry.succeeded();
          if (part.revision) rest = { ...rest, revision: part.revision, exact: true };
          // the header of a resumed list is already known
          if (begun && part.revision) continue;
          begun = true;
          yield part;
          rest = afterPart(rest, part);
        }
        return;
      } catch (error) {
        const apiError = fromServiceError(error as ServiceError);
        if (apiError !== undefined) throw apiError;
        this.#watchServices.next();
        if (performance.now() - answeredAt > GIVE_UP_AFTER_MS) {
          throw serviceUnavailable('the watch service cannot be reached, please try again');
        }
        await retry.failed(error);
      }
    }
  }

  close(): void {
    this.#watchServices.close();
  }

  async *#parts(request: CollectionListRequest, deadline: number): AsyncGenerator<ListPart> {
    const { path, requestSerialize, responseDeserialize } = watch.list as MethodDefinition<
      CollectionListRequest,
      ListPart
    >;
    const client = this.#watchServices.client();
    const call: ClientReadableStream<ListPart> = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      { deadline },
    );
    try {
      yield* call as AsyncIterable<ListPart>;
    } finally {
      // the cancellation is reported as an error event, too
      call.on('error', () => {});
      cancelCall(call);
    }
  }
}

/** The request for the rest after this part. */
function afterPart(
  request: CollectionListRequest,
  { count = 0, lastNamespace, lastName }: ListPart,
): CollectionListRequest {
  if (count === 0) return request;
  // a limit of 0 means all; -1 asks only for the count of the remaining objects
  const limit = request.limit === 0 ? 0 : request.limit - count || -1;
  return { ...request, afterNamespace: lastNamespace ?? '', afterName: lastName ?? '', limit };
}

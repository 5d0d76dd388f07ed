import type { ClientReadableStream, MethodDefinition, ServiceError } from '@grpc/grpc-js';
import { cancelCall, type Kit, Replicas, Retry } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import { type CollectionListRequest, fromServiceError, type ListPart, watch } from '@tidegate/wire';

/** A request lasts no longer. */
const LIMIT_MS = 60_000;
/** How long no replica may be there before a list is given up. */
const PATIENCE_MS = 10_000;
const PAUSES = { firstMs: 50, longestMs: 1000 };

/**
 * Lists of collections that this process does not hold, from the watch service.
 *
 * Invariant: the parts of one list are one snapshot, whichever replica sent them: when one goes away, the next goes on
 * behind the last object that came, at exactly the same revision.
 */
export class WatchLists {
  readonly #watchServices: Replicas;
  readonly #resumed: () => void;

  /** resumed: a list broke off, and goes on at another replica */
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
    for (let heardAt = performance.now(); ; ) {
      try {
        for await (const part of this.#parts(rest, deadline)) {
          heardAt = performance.now();
          retry.succeeded();
          if (part.revision) rest = { ...rest, revision: part.revision, exact: true };
          // the head of what goes on is known
          if (begun && part.revision) continue;
          begun = true;
          yield part;
          rest = behind(rest, part);
        }
        return;
      } catch (error) {
        const told = fromServiceError(error as ServiceError);
        if (told !== undefined) throw told;
        this.#watchServices.next();
        if (performance.now() - heardAt > PATIENCE_MS) {
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
      // the cancellation that follows is told as an error, too
      call.on('error', () => {});
      cancelCall(call);
    }
  }
}

/** What is still to be asked for when this part has come. */
function behind(
  request: CollectionListRequest,
  { count = 0, lastNamespace, lastName }: ListPart,
): CollectionListRequest {
  if (count === 0) return request;
  // 0 would be all of them: with nothing left to send, what remains is still to be counted
  const limit = request.limit === 0 ? 0 : request.limit - count || -1;
  return { ...request, afterNamespace: lastNamespace ?? '', afterName: lastName ?? '', limit };
}

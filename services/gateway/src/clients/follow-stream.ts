import type { ClientDuplexStream, MethodDefinition } from '@grpc/grpc-js';
import { cancelCall, type Kit, Replicas, type Retry } from '@tidegate/service-kit';
import { type FollowRequest, type FollowResponse, watch } from '@tidegate/wire';

interface FollowStreamOptions {
  addresses: readonly string[];
  credentials: ReturnType<Kit['credentials']['client']>;
  /** the backoff while no replica can be followed */
  retry: Retry;
  received: (response: FollowResponse) => void;
  /** called for a new stream, on which all collections must be opened again */
  connected: () => void;
  lost: () => void;
}

/**
 * The single stream to the watch service. When it breaks, it is reopened at the next replica with a growing backoff.
 */
export class FollowStream {
  readonly #options: FollowStreamOptions;
  readonly #watchServices: Replicas;
  readonly #closing = new AbortController();
  #hasMoved = false;
  #call: ClientDuplexStream<FollowRequest, FollowResponse> | undefined;

  constructor(options: FollowStreamOptions) {
    this.#options = options;
    const { addresses: names, credentials } = options;
    this.#watchServices = new Replicas({ names, credentials, moved: () => this.#move() });
  }

  /** Dropped while there is no stream: `connected` opens everything again. */
  send(request: FollowRequest): void {
    this.#call?.write(request);
  }

  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#follow();
      if (!this.#hasMoved) this.#watchServices.next();
      this.#hasMoved = false;
      await this.#options.retry.failed(new Error('the stream of the watch service has ended'), signal);
    }
  }

  close(): void {
    this.#closing.abort();
    this.#call?.end();
    this.#watchServices.close();
  }

  /** Cancels the stream; run() then opens it at the replica that is preferred now. */
  #move(): void {
    if (this.#call === undefined) return;
    this.#hasMoved = true;
    cancelCall(this.#call);
  }

  #follow(): Promise<void> {
    const client = this.#watchServices.client();
    const { path, requestSerialize, responseDeserialize } = watch.follow as MethodDefinition<
      FollowRequest,
      FollowResponse
    >;
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, {
      waitForReady: true,
    } as never);
    this.#call = call;
    this.#options.connected();
    return new Promise((resolve) => {
      const end = () => {
        if (this.#call !== call) return;
        this.#call = undefined;
        this.#options.lost();
        resolve();
      };
      call.on('data', (response: FollowResponse) => {
        this.#options.retry.succeeded();
        this.#options.received(response);
      });
      call.on('error', end);
      call.on('end', end);
    });
  }
}

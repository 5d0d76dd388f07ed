import { type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { type Kit, type Replica, replicaClient } from '@tidegate/service-kit';
import { type ChecksResponse, health } from '@tidegate/wire';

/** The result of the last probe of one address. */
export interface TargetState {
  readonly address: string;
  /** whether the last probe was answered in time */
  readonly answered: boolean;
  /** the last answer, also of an address that no longer answers */
  readonly answer: ChecksResponse | undefined;
  /** why the last probe was not answered */
  readonly why: string;
}

/** Probes one address. */
export class Target {
  readonly #client;
  readonly #timeoutMs: number;
  #state: TargetState;

  constructor(replica: Replica, credentials: ReturnType<Kit['credentials']['client']>, timeoutMs: number) {
    this.#client = replicaClient(replica, credentials);
    this.#timeoutMs = timeoutMs;
    this.#state = { address: replica.address, answered: false, answer: undefined, why: 'not probed yet' };
  }

  get state(): TargetState {
    return this.#state;
  }

  /** Ends within the timeout in any case. */
  async probe(): Promise<TargetState> {
    const { address, answer } = this.#state;
    this.#state = await this.#checks().then(
      (checks): TargetState => ({ address, answered: true, answer: checks, why: '' }),
      (error: ServiceError): TargetState => ({ address, answered: false, answer, why: this.#reasonIn(error) }),
    );
    return this.#state;
  }

  close(): void {
    this.#client.close();
  }

  /** The reason, without terms of the gRPC library. */
  #reasonIn({ code, details }: ServiceError): string {
    return code === status.DEADLINE_EXCEEDED ? `no answer within ${this.#timeoutMs} ms` : details;
  }

  #checks(): Promise<ChecksResponse> {
    const { path, requestSerialize, responseDeserialize } = health.checks as MethodDefinition<object, ChecksResponse>;
    const deadline = Date.now() + this.#timeoutMs;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, (error, value) => {
        if (error === null) resolve(value as ChecksResponse);
        else reject(error);
      });
    });
  }
}

import { type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { type Kit, type Replica, replicaClient } from '@tidegate/service-kit';
import { type ChecksResponse, health } from '@tidegate/wire';

/** What one address answered when it was asked last. */
export interface TargetState {
  readonly address: string;
  /** the last question was answered in time */
  readonly answered: boolean;
  /** the last answer; of one that does not answer the last one that it gave */
  readonly answer: ChecksResponse | undefined;
  /** why the last question was not answered */
  readonly why: string;
}

/** One address, asked again and again. */
export class Target {
  readonly #client;
  readonly #timeoutMs: number;
  #state: TargetState;

  constructor(replica: Replica, credentials: ReturnType<Kit['credentials']['client']>, timeoutMs: number) {
    this.#client = replicaClient(replica, credentials);
    this.#timeoutMs = timeoutMs;
    this.#state = { address: replica.address, answered: false, answer: undefined, why: 'not asked yet' };
  }

  get state(): TargetState {
    return this.#state;
  }

  /** Ends in time, whatever the other side does. */
  async ask(): Promise<TargetState> {
    const { address, answer } = this.#state;
    this.#state = await this.#checks().then(
      (told): TargetState => ({ address, answered: true, answer: told, why: '' }),
      (error: ServiceError): TargetState => ({ address, answered: false, answer, why: this.#reasonIn(error) }),
    );
    return this.#state;
  }

  close(): void {
    this.#client.close();
  }

  /** Without what only those understand who know the library. */
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

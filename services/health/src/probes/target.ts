import type { MethodDefinition } from '@grpc/grpc-js';
import { grpcClient, type Kit, type Replica } from '@tidegate/service-kit';
import { type ChecksResponse, health } from '@tidegate/wire';

/** What is known of one part. */
export interface TargetState {
  readonly address: string;
  readonly reachable: boolean;
  /** the last answer; of an unreachable part the last one it gave */
  readonly answer: ChecksResponse | undefined;
  readonly failures: number;
  readonly changedAt: Date;
}

const TIMEOUT_MS = 1000;
/** A part counts as unreachable after this many failures in a row, so that one lost answer does not flap the board. */
const FAILURES = 2;

/** One part, asked again and again. */
export class Target {
  readonly #client;
  #state: TargetState;

  constructor({ address, serverName }: Replica, credentials: ReturnType<Kit['credentials']['client']>) {
    const named = serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName };
    this.#client = grpcClient(address, credentials, named);
    this.#state = { address, reachable: false, answer: undefined, failures: 0, changedAt: new Date() };
  }

  get state(): TargetState {
    return this.#state;
  }

  async ask(now = new Date()): Promise<void> {
    const before = this.#state;
    try {
      const answer = await this.#checks();
      const changedAt = before.reachable ? before.changedAt : now;
      this.#state = { ...before, reachable: true, answer, failures: 0, changedAt };
    } catch {
      const failures = before.failures + 1;
      const reachable = before.reachable && failures < FAILURES;
      this.#state = {
        ...before,
        reachable,
        failures,
        changedAt: before.reachable && !reachable ? now : before.changedAt,
      };
    }
  }

  close(): void {
    this.#client.close();
  }

  #checks(): Promise<ChecksResponse> {
    const { path, requestSerialize, responseDeserialize } = health.checks as MethodDefinition<object, ChecksResponse>;
    const deadline = Date.now() + TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, (error, value) => {
        if (error === null) resolve(value as ChecksResponse);
        else reject(error);
      });
    });
  }
}

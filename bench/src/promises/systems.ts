import { type Cluster, startCluster, until } from '@tidegate/testkit';
import { ApiClient } from './api-client.ts';

/** Two replicas of each service with all controllers, and a client of each gateway. */
export interface TwoOfEach {
  readonly cluster: Cluster;
  /** the gateway that is written to, to which the controllers send their requests too */
  readonly first: ApiClient;
  readonly second: ApiClient;
}

/** The cluster that most promises share. It is started when the first of them needs it. */
export class Systems {
  #started: Promise<TwoOfEach> | undefined;

  twoOfEach(): Promise<TwoOfEach> {
    this.#started ??= start();
    return this.#started;
  }

  async stop(): Promise<void> {
    // a failed start has reported its reason, and has stopped what it had started
    const started = await this.#started?.catch(() => undefined);
    started?.first.close();
    started?.second.close();
    await started?.cluster.stop();
  }
}

async function start(): Promise<TwoOfEach> {
  const cluster = await startCluster({ replicas: 2, nats: true, controllers: true });
  const [first, second] = cluster.endpoints.map((endpoint) => new ApiClient(endpoint)) as [ApiClient, ApiClient];
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  await until('the controllers to fill the namespaces', async () => (await second.codeOf(account)) === 200, 60_000);
  return { cluster, first, second };
}

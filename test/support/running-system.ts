import { startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { Client } from './client.ts';

export interface RunningSystem {
  readonly tidegate: TestTidegate;
  readonly client: Client;
  stop(): Promise<void>;
}

/** The whole system, a client of its administrator, and the namespaces that every system has. */
export async function runningSystem(options: Parameters<typeof startTidegate>[0] = {}): Promise<RunningSystem> {
  const tidegate = await startTidegate(options);
  const client = new Client(tidegate);
  await until('the default namespace', async () => (await client.get('/api/v1/namespaces/default')).code === 200);
  return {
    tidegate,
    client,
    async stop() {
      client.close();
      await tidegate.stop();
    },
  };
}

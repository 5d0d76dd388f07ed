import { startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { Client } from './client.ts';

export interface RunningSystem {
  readonly tidegate: TestTidegate;
  readonly client: Client;
  stop(): Promise<void>;
}

/** Nothing is written but by the test: its namespaces are as empty as it makes them, and revisions are its own. */
export const alone = { TIDEGATE_CONTROLLERS: 'namespace-controller' };
/** what every such system has made when it is settled */
export const FIRST_OBJECTS = 13;

/** A system in which only the test writes, and a client of its administrator. */
export async function runningSystem(options: Parameters<typeof startTidegate>[0] = {}): Promise<RunningSystem> {
  const tidegate = await startTidegate({ ...options, env: { ...alone, ...options.env } });
  const client = new Client(tidegate);
  await settled(client);
  return {
    tidegate,
    client,
    async stop() {
      client.close();
      await tidegate.stop();
    },
  };
}

/** All that a system makes at its start is there. */
export async function settled(client: Client): Promise<void> {
  const last = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all';
  await until('the last of the first objects', async () => (await client.get(last)).code === 200);
  // the first of all may have come too early for a gateway, and are made again in the next round
  await until('the first namespaces', async () => (await client.get('/api/v1/namespaces')).json.items?.length >= 4);
}

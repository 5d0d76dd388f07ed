import { join } from 'node:path';
import { temporaryDir } from '@tidegate/testkit';
import { type PromisedTime, repeat } from './promised-time.ts';
import { startSystem } from './started-system.ts';

/** From the command `tidegate start` with an existing data directory until the system is ready. */
export const secondStart: PromisedTime = {
  name: 'tidegate start with existing data is ready',
  limitMs: 2000,
  page: 'docs/quickstart.md',
  times: 5,
  async measure(_, times) {
    const { path, remove } = temporaryDir('promises');
    const dataDir = join(path, 'data');
    const start = async () => {
      const { readyMs, stop } = await startSystem(dataDir);
      await stop();
      return readyMs;
    };
    try {
      await start();
      return await repeat(times, start);
    } finally {
      remove();
    }
  },
};

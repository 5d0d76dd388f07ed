import { delayMs, type Retry } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';

interface LogSourceOptions {
  store: StoreClient;
  /** the revision after which the log is followed */
  through: () => number;
  offer: (batch: LogBatch) => void;
  /** called when the log no longer reaches back to that revision */
  truncated: () => void;
  /** how long the log need not be followed because the bus works; 0: follow it now */
  restMs: () => number;
  /** the pauses between attempts to follow the log */
  retry: Retry;
  closing: AbortSignal;
}

/** Follows the store's log while there is no bus, or while the bus cannot be reached. */
export async function followLog(options: LogSourceOptions): Promise<void> {
  const { closing, retry } = options;
  while (!closing.aborted) {
    const restMs = options.restMs();
    if (restMs > 0) {
      await delayMs(Math.ceil(restMs), closing);
      continue;
    }
    try {
      for await (const batch of options.store.followLog({ after: options.through() }, closing)) {
        retry.succeeded();
        options.offer(batch);
        if (options.restMs() > 0) break;
      }
    } catch (error) {
      // any other error means that the store cannot be reached
      if ((error as { code?: unknown }).code === 410) options.truncated();
      await retry.failed(error, closing);
    }
  }
}

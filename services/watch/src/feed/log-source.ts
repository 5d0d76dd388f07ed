import { delayMs, type Retry } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';

interface LogSourceOptions {
  store: StoreClient;
  /** where to go on from */
  through: () => number;
  offer: (batch: LogBatch) => void;
  /** the log no longer reaches back to where to go on from */
  cut: () => void;
  /** how long the log need not be followed, because the bus does the work; 0: it is to be followed now */
  restMs: () => number;
  /** the pauses of a log that cannot be followed */
  retry: Retry;
  closing: AbortSignal;
}

/** Follows the store's log wherever there is no bus, or while it is away. */
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
      // otherwise the store is away
      if ((error as { code?: unknown }).code === 410) options.cut();
      await retry.failed(error, closing);
    }
  }
}

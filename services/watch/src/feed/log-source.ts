import { delayMs, type Retry } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';

/** how often it is looked whether the log is to be followed */
const LOOK_MS = 150;

interface LogSourceOptions {
  store: StoreClient;
  /** where to go on from */
  through: () => number;
  offer: (batch: LogBatch) => void;
  /** the log no longer reaches back to where to go on from */
  cut: () => void;
  /** while this is false the bus does the work */
  wanted: () => boolean;
  /** the pauses of a log that cannot be followed */
  retry: Retry;
  closing: AbortSignal;
}

/** Follows the store's log wherever there is no bus, or while it is away. */
export async function followLog(options: LogSourceOptions): Promise<void> {
  const { closing, retry } = options;
  while (!closing.aborted) {
    if (!options.wanted()) {
      await delayMs(LOOK_MS, closing);
      continue;
    }
    try {
      for await (const batch of options.store.followLog({ after: options.through() }, closing)) {
        retry.succeeded();
        options.offer(batch);
        if (!options.wanted()) break;
      }
    } catch (error) {
      // otherwise the store is away
      if ((error as { code?: unknown }).code === 410) options.cut();
      await retry.failed(error, closing);
    }
  }
}

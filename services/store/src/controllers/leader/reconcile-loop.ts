import { type Closing, delayMs, type Kit } from '@tidegate/service-kit';
import type { RevisionFeed, Wakeup } from '../port.ts';
import { IdlePause } from './idle-pause.ts';
import type { LeaderElection } from './leader-election.ts';

/** The default for loops that also wait for a time, and not only for changes. */
const LONGEST_IDLE_MS = 2500;
/** between two attempts at a pass that fails */
const LONGEST_RETRY_MS = 1000;

/** One loop of a controller: each pass compares what is stored with what should be, and does what is missing. */
export interface ReconcileLoop {
  /** also the label of the metrics of retries */
  readonly name: string;
  readonly everyMs: number;
  /** the longest time without a pass while nothing is written */
  readonly longestIdleMs?: number;
  /** starts a pass before its time */
  readonly wakeup?: Wakeup;
  /** Makes one pass. Returns true when the next pass must follow at once. */
  readonly reconcile: (fence: number) => Promise<unknown>;
}

interface LoopContext {
  readonly election: Pick<LeaderElection, 'fence'>;
  readonly revisions: RevisionFeed;
  readonly retries: Kit['retries'];
  /** called before each pass */
  readonly onPass: (fence: number) => void;
  readonly closing: Closing;
}

/** Runs a loop until closing is aborted. Passes are made only while this process is the leader. */
export async function runLoop(loop: ReconcileLoop, context: LoopContext): Promise<void> {
  const { name, everyMs, longestIdleMs: longestMs = LONGEST_IDLE_MS, wakeup, reconcile } = loop;
  const { election, revisions, retries, onPass, closing } = context;
  const idle = new IdlePause({ revision: () => revisions.revision, longestMs });
  const retry = retries.loop(name, { firstMs: everyMs, longestMs: Math.max(everyMs, LONGEST_RETRY_MS) });
  while (!closing.aborted) {
    const { fence } = election;
    const pauseMs = fence === undefined ? 0 : idle.remainingMs(fence);
    if (pauseMs > 0) {
      await revisions.nextChange(pauseMs, closing);
      continue;
    }
    const before = wakeup?.count;
    let hasMore = false;
    if (fence !== undefined) {
      idle.begin(fence);
      onPass(fence);
      try {
        hasMore = (await reconcile(fence)) === true;
        idle.done(hasMore);
        retry.succeeded();
      } catch (error) {
        await retry.failed(error, closing);
        continue;
      }
    }
    // a wakeup during a pass is for the next pass
    if (hasMore || wakeup?.count !== before) continue;
    await (wakeup?.wait(everyMs, closing) ?? delayMs(everyMs, closing));
  }
}

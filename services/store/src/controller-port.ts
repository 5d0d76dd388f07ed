import type { ControllerPort } from './controllers/port.ts';
import type { ChangeFeed } from './publish/change-feed.ts';
import type { Wakeup } from './publish/wakeup.ts';
import type { CommitBatcher } from './storage/commits/commit-batcher.ts';
import type { Database } from './storage/database.ts';
import { ChangeQueries } from './storage/for-controllers/change-queries.ts';
import { Expiry } from './storage/for-controllers/expiry.ts';
import { GarbageQueue } from './storage/for-controllers/garbage-queue.ts';
import { LeaderLease } from './storage/for-controllers/leader-lease.ts';
import { ObjectQueries } from './storage/for-controllers/object-queries.ts';
import { OwnershipQueries } from './storage/for-controllers/ownership-queries.ts';
import type { KeyReader } from './storage/reads/reads.ts';

/** the lease of the replica that runs the controllers */
const LEASE = { name: 'lifecycle', seconds: 10 };

interface StoreParts {
  readonly database: Database;
  readonly commits: CommitBatcher;
  readonly reads: KeyReader;
  readonly feed: ChangeFeed;
  readonly definitionWritten: Wakeup;
  /** the name of this replica */
  readonly instance: string;
}

/** Connects the controllers to the parts of this store. */
export function controllerPort({
  database,
  commits,
  reads,
  feed,
  definitionWritten,
  instance,
}: StoreParts): ControllerPort {
  const { streams: pool } = database;
  return {
    lease: new LeaderLease(pool, { ...LEASE, holder: instance }),
    revisions: feed,
    reads,
    objects: new ObjectQueries(pool),
    changes: new ChangeQueries(pool),
    garbage: new GarbageQueue(pool),
    ownership: new OwnershipQueries(pool),
    expired: new Expiry({ pool, commits, lease: LEASE.name }),
    definitionWritten,
  };
}

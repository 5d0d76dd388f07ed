import { admissionPolicy } from './admission-policy.ts';
import { aggregatedRole } from './aggregated-role.ts';
import { deletedNamespace } from './deleted-namespace.ts';
import { endedWatches } from './ended-watches.ts';
import { firstObjects } from './first-objects.ts';
import { flowSchema } from './flow-schema.ts';
import { killedLeader, stoppedLeader } from './leader-takeover.ts';
import { limitRange } from './limit-range.ts';
import { lossShown, postgresOutage, returnShown, storesOutage, watchesOutage } from './outage.ts';
import type { PromisedTime } from './promised-time.ts';
import { rejectedWrite } from './rejected-write.ts';
import { releasedClaim } from './released-claim.ts';
import { freedQuota, newQuota } from './resource-quota.ts';
import { revertedFlowSchema } from './reverted-flow-schema.ts';
import { revokedRight } from './revoked-right.ts';
import { secondStart } from './second-start.ts';
import { webhookConfiguration } from './webhook-configuration.ts';

/** All promises, in the order in which they are measured. Those that stop services come after the others. */
export const promises: readonly PromisedTime[] = [
  revokedRight,
  admissionPolicy,
  webhookConfiguration,
  limitRange,
  flowSchema,
  revertedFlowSchema,
  aggregatedRole,
  newQuota,
  freedQuota,
  releasedClaim,
  deletedNamespace,
  endedWatches,
  lossShown(watchesOutage),
  returnShown(watchesOutage),
  lossShown(storesOutage),
  returnShown(storesOutage),
  lossShown(postgresOutage),
  returnShown(postgresOutage),
  rejectedWrite,
  stoppedLeader,
  killedLeader,
  secondStart,
  firstObjects,
];

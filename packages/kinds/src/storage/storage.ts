import { type JsonObject, printTime, type Quantity } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { type Amounts, amountsIn, ONE, type Usage, whole } from '../rules/amounts.ts';
import { sameValue, unchanged } from '../rules/checks.ts';
import { partOf } from '../rules/fields.ts';
import type { UpdateCheck, UpdateChecks } from '../rules/type-rules.ts';
import { columns } from './columns.ts';
import { defaults } from './defaults.ts';
import { claimUpdate, persistentVolumeChecks, volumeUpdate } from './persistent-volumes.ts';
import { forbiddenChange, storageChecks } from './validation.ts';
import { warnings } from './warnings.ts';

const OF_CLASS = '.storageclass.storage.k8s.io/';

const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

const NAMES = ['persistentvolumeclaims', 'requests.storage'];

/** How quotas count a claim: for itself, and for its storage class. */
export const claimUsage: QuotaUsage = {
  names: NAMES,
  countsFor: (name) => NAMES.some((one) => name.endsWith(OF_CLASS + one)),
  add: addClaim,
};

function addClaim(usage: Usage, claim: JsonObject): void {
  const spec = partOf(claim, 'spec');
  const storage = storageOf(amountsIn(partOf(spec, 'resources').requests), claim);
  const name = metaOf(claim).annotations?.[OLD_CLASS] ?? spec.storageClassName;
  for (const prefix of name ? ['', `${String(name)}${OF_CLASS}`] : ['']) {
    usage.set(`${prefix}persistentvolumeclaims`, whole(1));
    if (storage !== undefined) usage.set(`${prefix}requests.storage`, storage);
  }
}

/** The storage in whole bytes: the request, or the allocated resources when they are larger. */
function storageOf(requests: Amounts, claim: JsonObject): Quantity | undefined {
  const requested = requests.get('storage');
  const given = amountsIn(partOf(claim, 'status').allocatedResources).get('storage');
  const most = requested !== undefined && given !== undefined && given.nanos > requested.nanos ? given : requested;
  return most && { ...most, nanos: ((most.nanos + ONE - 1n) / ONE) * ONE };
}

/** Kubernetes reports this field under its former name. */
const attachRequired: UpdateCheck = (spec, old) =>
  unchanged(spec.as('attachedRequired', spec.object.attachRequired), old.field('attachRequired'));

const nodeDrivers: UpdateCheck = (drivers, old) => {
  const known = new Map(
    old
      .items()
      .toReversed()
      .map((one) => [one.object.name, one]),
  );
  for (const driver of drivers.items()) {
    const before = known.get(driver.object.name);
    if (before !== undefined && !sameValue(withoutAmount(before.object), withoutAmount(driver.object))) {
      drivers.invalid('field is immutable', driver.value);
    }
  }
};

/** A driver without `allocatable`, which may change. */
function withoutAmount({ allocatable: _amount, ...driver }: JsonObject): JsonObject {
  return driver;
}

const rules: ByResource<KindRules> = {
  persistentvolumeclaims: {
    deleteReturnsObject: true,
    prepareCreate: (claim) => {
      claim.status = { phase: 'Pending' };
    },
  },
  persistentvolumes: {
    deleteReturnsObject: true,
    prepareCreate: (volume) => {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: printTime() };
    },
  },
  'csidrivers.storage.k8s.io': { deleteReturnsObject: true, conditionalUpdate: true },
  'csinodes.storage.k8s.io': { deleteReturnsObject: true, conditionalUpdate: true },
  'csistoragecapacities.storage.k8s.io': { conditionalUpdate: true },
  'storageclasses.storage.k8s.io': { deleteReturnsObject: true },
  'volumeattachments.storage.k8s.io': {
    deleteReturnsObject: true,
    conditionalUpdate: true,
    resetFields: { status: [['metadata'], ['spec']] },
  },
  'volumeattributesclasses.storage.k8s.io': { deleteReturnsObject: true },
};

const updates: ByResource<UpdateChecks> = {
  persistentvolumes: { '': volumeUpdate },
  persistentvolumeclaims: { '': claimUpdate },
  'storageclasses.storage.k8s.io': {
    parameters: forbiddenChange,
    provisioner: forbiddenChange,
    reclaimPolicy: forbiddenChange,
    volumeBindingMode: unchanged,
  },
  'csidrivers.storage.k8s.io': { spec: attachRequired, 'spec.volumeLifecycleModes': unchanged },
  'csinodes.storage.k8s.io': { 'spec.drivers': nodeDrivers },
  'csistoragecapacities.storage.k8s.io': { storageClassName: unchanged, nodeTopology: unchanged },
  'volumeattachments.storage.k8s.io': { spec: unchanged },
  'volumeattributesclasses.storage.k8s.io': { driverName: forbiddenChange, parameters: forbiddenChange },
};

const usage: ByResource<QuotaUsage> = { persistentvolumeclaims: claimUsage };

export const storage: Family = {
  rules,
  defaults,
  columns,
  updates,
  warnings,
  usage,
  types: { ...storageChecks, ...persistentVolumeChecks },
};

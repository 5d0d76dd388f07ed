import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { unchanged } from '../rules/checks.ts';
import { below, belowEach, type DefaultRules, defaulter, NotZero, type SetDefaults } from '../rules/default-rules.ts';
import { textFields } from '../rules/fields.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { type Warnings, warnAt } from '../rules/warnings.ts';
import { columns } from './columns.ts';
import { deviceChecks } from './validation.ts';

const deviceDefaults: DefaultRules = {
  allocationMode: 'ExactCount',
  count: new NotZero(({ allocationMode }) => (allocationMode === 'ExactCount' ? 1 : undefined)),
};
const claimDefaults: DefaultRules = belowEach(
  ['devices.requests[].exactly', 'devices.requests[].firstAvailable[]'],
  deviceDefaults,
);

const warnOfSlice: Warnings = (slice, warn) => {
  const driver = slice.field('spec.driver');
  if (driver.text === driver.text.toLowerCase()) return;
  const shown = JSON.stringify(driver.text);
  warnAt(driver, warn, `driver names should be lowercase; ${shown} contains uppercase characters`);
};

const defaults: ByResource<SetDefaults> = {
  'resourceclaims.resource.k8s.io': defaulter(below('spec', claimDefaults)),
  'resourceclaimtemplates.resource.k8s.io': defaulter(below('spec.spec', claimDefaults)),
};

const rules: ByResource<KindRules> = {
  'deviceclasses.resource.k8s.io': { deleteReturnsObject: true, generationPaths: ['spec'] },
  'resourceclaims.resource.k8s.io': { deleteReturnsObject: true, resetFields: { status: [['metadata'], ['spec']] } },
  'resourceclaimtemplates.resource.k8s.io': { deleteReturnsObject: true },
  'resourceslices.resource.k8s.io': {
    deleteReturnsObject: true,
    generationPaths: ['spec'],
    selectableFields: textFields({ 'spec.nodeName': '', 'spec.driver': '' }),
  },
};

const updates: ByResource<UpdateChecks> = {
  'resourceclaims.resource.k8s.io': { spec: unchanged },
  'resourceclaimtemplates.resource.k8s.io': { spec: unchanged },
  'resourceslices.resource.k8s.io': {
    'spec.driver': unchanged,
    'spec.nodeName': unchanged,
    'spec.pool.name': unchanged,
  },
};

const warnings: ByResource<Warnings> = {
  'resourceslices.resource.k8s.io': warnOfSlice,
};

const dropped = {
  'resource.v1.DeviceClassSpec': ['extendedResourceName'],
  'resource.v1.ExactDeviceRequest': ['capacity', 'tolerations'],
  'resource.v1.DeviceSubRequest': ['capacity', 'tolerations'],
  'resource.v1.DeviceConstraint': ['distinctAttribute'],
  'resource.v1.ResourceSliceSpec': ['perDeviceNodeSelection', 'sharedCounters'],
  'resource.v1.Device': [
    'allNodes',
    'allowMultipleAllocations',
    'bindingConditions',
    'bindingFailureConditions',
    'bindsToNode',
    'consumesCounters',
    'nodeName',
    'nodeSelector',
    'taints',
  ],
};

export const devices: Family = { rules, defaults, dropped, columns, updates, warnings, types: deviceChecks };

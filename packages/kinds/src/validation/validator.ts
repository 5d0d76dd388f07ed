import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { accessRules } from './access.ts';
import { admissionTypeRules } from './admission.ts';
import { appsRules } from './apps.ts';
import { batchRules } from './batch.ts';
import { clusterTypeRules } from './cluster.ts';
import { definitionRules } from './definitions.ts';
import { deviceRules } from './devices.ts';
import { endpointSliceRules } from './endpoint-slices.ts';
import { flowControlRules } from './flow-control.ts';
import { limitRules } from './limits.ts';
import { networkRules } from './network.ts';
import { persistentVolumeRules } from './persistent-volumes.ts';
import { Place } from './place.ts';
import { containerRules } from './pods/container.ts';
import { podRules } from './pods/pod.ts';
import { schedulingRules } from './pods/scheduling.ts';
import { volumeRules } from './pods/volumes.ts';
import { CompiledRules, type RuleTable } from './rules.ts';
import { scalingTypeRules } from './scaling.ts';
import { selectorRules } from './selectors.ts';
import { serviceRules } from './services.ts';
import { storageTypeRules } from './storage.ts';
import { updateRules } from './updates.ts';

/** Every rule, by type. */
export const typeRules: RuleTable = {
  ...selectorRules,
  ...containerRules,
  ...volumeRules,
  ...schedulingRules,
  ...podRules,
  ...appsRules,
  ...batchRules,
  ...serviceRules,
  ...networkRules,
  ...endpointSliceRules,
  ...storageTypeRules,
  ...persistentVolumeRules,
  ...limitRules,
  ...accessRules,
  ...scalingTypeRules,
  ...clusterTypeRules,
  ...admissionTypeRules,
  ...flowControlRules,
  ...deviceRules,
  ...definitionRules,
};

const compiled = new CompiledRules(typeRules);

/** Its status is the server's own, and metadata has rules that are the same for all kinds. */
const SKIPPED = ['metadata', 'status', 'apiVersion', 'kind'];

/** What is wrong with an object by the rules of its types. */
export function validateTypes(schema: Schema & { type: 'object' }, object: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  compiled.visitor(schema, SKIPPED)?.(new Place(undefined, '', object, errors));
  return errors;
}

/** What an update of a kind may not do. */
export function validateTypesUpdate(resource: string, object: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const now = new Place(undefined, '', object, errors);
  const before = new Place(undefined, '', old, errors);
  for (const [path, check] of Object.entries(updateRules[resource] ?? {})) {
    if (path === '') check(now, before);
    else check(now.field(path), before.field(path));
  }
  return errors;
}

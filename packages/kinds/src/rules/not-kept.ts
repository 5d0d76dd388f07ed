import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';

/**
 * Fields that can be written but are not kept, by type: what they are for is not there yet, so that an object that says
 * something in them is taken without it.
 */
const NOT_KEPT: Readonly<Record<string, readonly string[]>> = {
  'core.v1.PodSpec': ['workloadRef'],
  'core.v1.Lifecycle': ['stopSignal'],
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
  'apps.v1.RollingUpdateStatefulSetStrategy': ['maxUnavailable'],
  'coordination.v1.LeaseSpec': ['preferredHolder', 'strategy'],
  'discovery.v1.Endpoint': ['deprecatedTopology'],
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

/** Where nothing is left of what held such a field, it goes as well. */
const GONE_WHEN_EMPTY = new Set(['core.v1.Lifecycle']);

type Drop = (holder: JsonObject) => void;

interface Step {
  readonly field: string;
  readonly drop: Drop;
  readonly goesWhenEmpty: boolean;
}

/** What takes out of an object of a type all that is not kept; undefined where the type has no such field at any depth. */
export function dropperOf(schema: Schema & { type: 'object' }): Drop | undefined {
  const name = nameOf(schema);
  if (made.has(name)) return made.get(name);
  // a type that holds itself is not gone into again
  made.set(name, undefined);
  const dropped = NOT_KEPT[name] ?? [];
  const steps = Object.entries(schema.fields).flatMap(([field, type]) => stepOf(field, type) ?? []);
  const drop = dropped.length + steps.length === 0 ? undefined : dropAll(dropped, steps);
  made.set(name, drop);
  return drop;
}

const made = new Map<string, Drop | undefined>();

function nameOf({ reference = '' }: Schema & { type: 'object' }): string {
  return reference.split('.').slice(-3).join('.');
}

function stepOf(field: string, type: Schema): Step | undefined {
  const inner = innerOf(type);
  const drop = inner === undefined ? undefined : dropperOf(inner);
  if (inner === undefined || drop === undefined) return undefined;
  return { field, drop, goesWhenEmpty: GONE_WHEN_EMPTY.has(nameOf(inner)) };
}

function innerOf(type: Schema): (Schema & { type: 'object' }) | undefined {
  if (type.type === 'object') return type;
  return type.type === 'list' ? innerOf(type.items) : undefined;
}

function dropAll(dropped: readonly string[], steps: readonly Step[]): Drop {
  return (holder) => {
    for (const field of dropped) if (holder[field] !== undefined) delete holder[field];
    for (const { field, drop, goesWhenEmpty } of steps) {
      const value = holder[field];
      if (value === undefined) continue;
      const wasEmpty = isEmpty(value);
      eachObject(value, drop);
      if (goesWhenEmpty && !wasEmpty && isEmpty(value)) delete holder[field];
    }
  };
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function eachObject(value: Json, drop: Drop): void {
  if (Array.isArray(value)) for (const item of value) eachObject(item, drop);
  else if (isJsonObject(value)) drop(value);
}

import { metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type Admitted, type Lookups, type Plugin, refused, specOf } from './plugin.ts';

const CLASSES = 'priorityclasses.scheduling.k8s.io';
/** for pods without a class, if there is no default class */
const NO_CLASS = { value: 0, preemptionPolicy: 'PreemptLowerPriority' };

/** Sets the priority of a new pod from its class or the default class, and allows only one default class. */
export const priority: Plugin = {
  name: 'Priority',
  handles: ['CREATE pods', `CREATE ${CLASSES}`, `UPDATE ${CLASSES}`],
  needs: [CLASSES],
  mutate: async (admitted) => {
    if (admitted.request.kind.storedAs === 'pods') await setPriority(admitted);
  },
  validate: async (admitted) => {
    if (admitted.request.kind.storedAs === CLASSES) await refuseSecondDefault(admitted);
  },
};

async function setPriority(admitted: Admitted): Promise<void> {
  const { lookups, object } = admitted;
  const spec = specOf(object);
  const name = typeof spec.priorityClassName === 'string' ? spec.priorityClassName : '';
  const key = { resource: CLASSES, namespace: '', name };
  const priorityClass = name === '' ? await defaultClass(lookups) : await lookups.objects.stored(key);
  if (name !== '' && priorityClass === undefined) {
    throw refused(admitted, `no PriorityClass with name ${name} was found`);
  }
  const { value = 0, preemptionPolicy } = priorityClass ?? NO_CLASS;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refused(admitted, given('integer value of priority', spec.priority, value));
  }
  if (name === '' && priorityClass !== undefined) spec.priorityClassName = metaOf(priorityClass).name ?? '';
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refused(admitted, given('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy));
  }
  spec.preemptionPolicy = preemptionPolicy;
}

function given(what: string, value: unknown, computed: unknown): string {
  return `the ${what} (${String(value)}) must not be provided in pod spec; priority admission controller computed ${String(computed)} from the given PriorityClass name`;
}

async function refuseSecondDefault(admitted: Admitted): Promise<void> {
  const { lookups, object, old } = admitted;
  if (object.globalDefault !== true) return;
  const other = await defaultClass(lookups);
  const name = other === undefined ? undefined : metaOf(other).name;
  if (name === undefined || (old !== undefined && name === metaOf(object).name)) return;
  throw refused(admitted, `PriorityClass ${name} is already marked as default. Only one default can exist`);
}

/** If a race created several defaults, the one with the lowest value. */
async function defaultClass(lookups: Lookups): Promise<JsonObject | undefined> {
  const classes = (await lookups.known(CLASSES)).filter(({ globalDefault }) => globalDefault === true);
  return classes.sort((a, b) => Number(a.value) - Number(b.value))[0];
}

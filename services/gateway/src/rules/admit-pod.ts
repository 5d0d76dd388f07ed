import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { forbiddenObject } from '@tidegate/status';
import { parseStored } from '../codec/stored-form.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';

export const PRIORITY_CLASSES = 'priorityclasses.scheduling.k8s.io';

/** What a new pod gets where it does not say it: its service account, and its priority by the class. */
export async function admitPod(gateway: Gateway, request: ResourceRequest, pod: JsonObject): Promise<void> {
  if (request.kind.storedAs !== 'pods') return;
  if (!isJsonObject(pod.spec)) return;
  const { spec } = pod;
  const account = spec.serviceAccountName || spec.serviceAccount || 'default';
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
  const refuse = (why: string) => forbiddenObject(request.kind.entry, metaOf(pod).name ?? '', why);
  const name = typeof spec.priorityClassName === 'string' ? spec.priorityClassName : '';
  const priorityClass = name === '' ? usualClass(gateway) : await classNamed(gateway, name);
  if (name !== '' && priorityClass === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
  const { value: priority = 0, preemptionPolicy = 'PreemptLowerPriority' } = priorityClass ?? {};
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refuse(
      `the integer value of priority (${String(spec.priority)}) must not be provided in pod spec; priority admission controller computed ${String(priority)} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refuse(
      `the string value of PreemptionPolicy (${String(spec.preemptionPolicy)}) must not be provided in pod spec; priority admission controller computed ${String(preemptionPolicy)} from the given PriorityClass name`,
    );
  }
  if (priorityClass !== undefined && name === '') spec.priorityClassName = metaOf(priorityClass).name ?? '';
  spec.priority = priority;
  spec.preemptionPolicy = preemptionPolicy;
}

async function classNamed(gateway: Gateway, name: string): Promise<JsonObject | undefined> {
  const { found, object } = await gateway.store.read({ resource: PRIORITY_CLASSES, namespace: '', name });
  return found && object !== null ? parseStored(object.value, object.revision) : undefined;
}

/** The class of those who name none; of several the lowest. It may be a moment old. */
function usualClass(gateway: Gateway): JsonObject | undefined {
  const classes: JsonObject[] = [];
  for (const run of gateway.mirrors.peek(PRIORITY_CLASSES)?.snapshot().runs('') ?? []) {
    for (const item of run.items.slice(run.from, run.to)) {
      const object = parseOwnJson(item.json);
      if (object.globalDefault === true) classes.push(object);
    }
  }
  return classes.sort((a, b) => Number(a.value) - Number(b.value))[0];
}

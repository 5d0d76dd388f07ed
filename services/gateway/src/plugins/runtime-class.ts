import { isSameAmounts } from '@tidegate/kinds';
import { copyOf, isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type Admitted, type Plugin, refused, specOf } from './plugin.ts';
import { mergedTolerations } from './taints.ts';

const CLASSES = 'runtimeclasses.node.k8s.io';

/** Sets the overhead and the scheduling constraints of a new pod from its RuntimeClass. */
export const runtimeClass: Plugin = {
  name: 'RuntimeClass',
  handles: ['CREATE pods'],
  mutate: async (admitted) => {
    const found = await classOf(admitted);
    if (found === undefined) return;
    setOverhead(admitted, found);
    setScheduling(admitted, found);
  },
  validate: async (admitted) => {
    const overhead = overheadOf(await classOf(admitted));
    const given = specOf(admitted.object).overhead;
    if (overhead !== undefined && !isSameAmounts(given, overhead)) throw mismatch(admitted);
    if (overhead === undefined && given !== undefined) {
      throw refused(admitted, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }
  },
};

async function classOf(admitted: Admitted): Promise<JsonObject | undefined> {
  const { runtimeClassName: name } = specOf(admitted.object);
  if (typeof name !== 'string') return undefined;
  const found = await admitted.lookups.objects.stored({ resource: CLASSES, namespace: '', name });
  if (found !== undefined) return found;
  throw refused(admitted, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function overheadOf(found: JsonObject | undefined): JsonObject | undefined {
  if (!isJsonObject(found?.overhead)) return undefined;
  const { podFixed } = found.overhead;
  return isJsonObject(podFixed) ? podFixed : {};
}

function setOverhead(admitted: Admitted, found: JsonObject): void {
  const overhead = overheadOf(found);
  if (overhead === undefined) return;
  const spec = specOf(admitted.object);
  const isGiven = isJsonObject(spec.overhead) && Object.keys(spec.overhead).length > 0;
  if (isGiven && !isSameAmounts(spec.overhead, overhead)) throw mismatch(admitted);
  spec.overhead = copyOf(overhead);
}

function mismatch(admitted: Admitted) {
  return refused(admitted, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setScheduling(admitted: Admitted, found: JsonObject): void {
  const { scheduling } = found;
  if (!isJsonObject(scheduling)) return;
  const spec = specOf(admitted.object);
  const selector: JsonObject = isJsonObject(spec.nodeSelector) ? spec.nodeSelector : {};
  for (const [key, wanted] of Object.entries(isJsonObject(scheduling.nodeSelector) ? scheduling.nodeSelector : {})) {
    const given = Object.hasOwn(selector, key) ? selector[key] : undefined;
    if (given !== undefined && given !== wanted) {
      throw refused(
        admitted,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(wanted)}; pod.spec.nodeSelector[${key}] = ${String(given)}`,
      );
    }
    selector[key] = wanted;
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = mergedTolerations(listOf(spec, 'tolerations'), listOf(scheduling, 'tolerations'));
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

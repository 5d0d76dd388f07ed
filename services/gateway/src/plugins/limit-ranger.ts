import { amountsIn, metaOf, podAmounts } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject, listOf } from '@tidegate/schema';
import { problemsOf } from './limit-problems.ts';
import { type Admitted, type Plugin, refused, specOf } from './plugin.ts';

const RANGES = 'limitranges';

/** Containers get what the ranges of their namespace say; containers, pods and claims stay within them. */
export const limitRanger: Plugin = {
  name: 'LimitRanger',
  concerns: ['CREATE pods', 'UPDATE pods/resize', 'CREATE persistentvolumeclaims', 'UPDATE persistentvolumeclaims'],
  needs: [RANGES],
  mutate: async (admitted) => {
    if (admitted.request.kind.storedAs !== 'pods') return;
    for (const range of await rangesFor(admitted)) setDefaults(admitted, listOf(specOf(range), 'limits'));
  },
  validate: async (admitted) => {
    const isPod = admitted.request.kind.storedAs === 'pods';
    for (const range of await rangesFor(admitted)) {
      const limits = listOf(specOf(range), 'limits');
      const spec = specOf(admitted.object);
      const problems = new Set(
        limits.flatMap((limit) => (isPod ? podProblems(admitted, spec, limit) : claimProblems(spec, limit))),
      );
      if (problems.size > 0) throw refused(admitted, aggregate([...problems]));
    }
  },
};

/** Those of the namespace; of what is going nothing is asked any more. */
async function rangesFor({ lookups, request, old }: Admitted): Promise<readonly JsonObject[]> {
  if (old !== undefined && metaOf(old).deletionTimestamp !== undefined) return [];
  return lookups.known(RANGES, request.info.namespace);
}

function aggregate(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`;
}

const NOTE = 'kubernetes.io/limit-ranger';
const LISTS: ReadonlyArray<readonly [list: string, called: string]> = [
  ['containers', 'container'],
  ['initContainers', 'init container'],
];

/** Each container is held against each amount of a range; no more than these pairs are looked at for one pod. */
const MOST_PAIRS = 100_000;

function refuseTooMany(admitted: Admitted, containers: number, amounts: number): void {
  if (containers * amounts <= MOST_PAIRS) return;
  const words = `its ${containers} containers and the ${amounts} amounts of a LimitRange make more than ${MOST_PAIRS} pairs`;
  throw refused(admitted, `spec.containers: ${words}`);
}

/** What was set stands in an annotation. */
function setDefaults(admitted: Admitted, limits: readonly JsonObject[]): void {
  const pod = admitted.object;
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const usual = {
    requests: merged(ofContainers.map(({ defaultRequest }) => defaultRequest)),
    limits: merged(ofContainers.map((limit) => limit.default)),
  };
  const containers = LISTS.flatMap(([list]) => listOf(specOf(pod), list)).length;
  refuseTooMany(admitted, containers, Object.keys(usual.requests).length + Object.keys(usual.limits).length);
  const notes: string[] = [];
  for (const [list, called] of LISTS) {
    for (const container of listOf(specOf(pod), list)) {
      for (const [field, word] of [
        ['requests', 'request'],
        ['limits', 'limit'],
      ] as const) {
        const set = setAmounts(container, field, usual[field]);
        if (set.length > 0) notes.push(`${set.sort().join(', ')} ${word} for ${called} ${String(container.name)}`);
      }
    }
  }
  if (notes.length === 0) return;
  const meta = metaOf(pod);
  meta.annotations = { ...meta.annotations, [NOTE]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

function merged(lists: ReadonlyArray<Json | undefined>): JsonObject {
  return Object.assign({}, ...lists.filter(isJsonObject));
}

/** Answers the names of what was not there. */
function setAmounts(container: JsonObject, field: string, usual: JsonObject): string[] {
  const resources = isJsonObject(container.resources) ? container.resources : {};
  const there = isJsonObject(resources[field]) ? resources[field] : {};
  const missing = Object.keys(usual).filter((name) => !Object.hasOwn(there, name));
  if (missing.length === 0) return [];
  container.resources = { ...resources, [field]: { ...usual, ...there } };
  return missing;
}

function podProblems(admitted: Admitted, spec: JsonObject, limit: JsonObject): string[] {
  if (limit.type === 'Pod') {
    const observed = { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') };
    return problemsOf(limit).with(observed);
  }
  if (limit.type !== 'Container') return [];
  const containers = LISTS.flatMap(([list]) => listOf(spec, list));
  const problems = problemsOf(limit);
  refuseTooMany(admitted, containers.length, problems.size);
  return containers.flatMap(({ resources }) => {
    const { requests, limits } = isJsonObject(resources) ? resources : {};
    return problems.with({ requests: amountsIn(requests), limits: amountsIn(limits) });
  });
}

function claimProblems({ resources }: JsonObject, limit: JsonObject): string[] {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  return problemsOf(limit).with({ requests: amountsIn(isJsonObject(resources) ? resources.requests : undefined) });
}

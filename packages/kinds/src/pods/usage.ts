import { isJsonObject, type JsonObject, listOf, type Quantity } from '@tidegate/schema';
import type { QuotaUsage } from '../family.ts';
import { metaOf } from '../objects/generic-object.ts';
import { type Amounts, addAmounts, amountsIn, raiseAmounts, type Usage, whole } from '../rules/amounts.ts';
import { partOf } from '../rules/fields.ts';

/** The resources that a pod can set for all its containers. */
const WHOLE_POD = new Set(['cpu', 'memory']);

/**
 * The maximum amounts that a pod needs at one time. Its containers run together. Before them each init container runs
 * alone, beside the sidecars that were started before it. Resources of the pod itself replace the sum.
 */
export function podAmounts(spec: JsonObject, list: 'requests' | 'limits'): Amounts {
  const of = ({ resources }: JsonObject) => amountsIn(isJsonObject(resources) ? resources[list] : undefined);
  const sum = new Map<string, Quantity>();
  for (const container of listOf(spec, 'containers')) addAmounts(sum, of(container));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of listOf(spec, 'initContainers')) {
    const own = of(container);
    if (container.restartPolicy === 'Always') {
      addAmounts(sum, own);
      addAmounts(sidecars, own);
    } else {
      // resources that it does not request never exceed the final sum of all sidecars
      addAmounts(own, new Map([...own.keys()].flatMap((name) => amountOfContainer(sidecars, name))));
      raiseAmounts(peak, own);
    }
  }
  raiseAmounts(peak, sidecars);
  raiseAmounts(sum, peak);
  for (const [name, amount] of of(spec)) if (WHOLE_POD.has(name)) sum.set(name, amount);
  return sum;
}

function amountOfContainer(amounts: Amounts, name: string): Array<readonly [string, Quantity]> {
  const amount = amounts.get(name);
  return amount === undefined ? [] : [[name, amount]];
}

const HUGE_PAGES = /^(?:requests\.)?hugepages-/;

/** Whether a name is the request of an extended resource. */
function isExtended(name: string): boolean {
  return name.startsWith('requests.') && hasForeignDomain(name.slice('requests.'.length));
}

function hasForeignDomain(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

/** How quotas count a pod. */
export const podUsage: QuotaUsage = {
  names: [
    'pods',
    ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ],
  countsFor: (name) => HUGE_PAGES.test(name) || isExtended(name),
  add: addPod,
};

function addPod(usage: Usage, pod: JsonObject): void {
  if (hasEnded(pod)) return;
  const spec = partOf(pod, 'spec');
  const overhead = amountsIn(spec.overhead);
  const requests = new Map(podAmounts(spec, 'requests'));
  const limits = new Map(podAmounts(spec, 'limits'));
  addAmounts(requests, overhead);
  // overhead counts only for resources that are limited
  addAmounts(limits, new Map([...overhead].filter(([name]) => limits.has(name))));
  usage.set('pods', whole(1));
  for (const [name, amount] of computeUsage(requests, limits)) usage.set(name, amount);
}

const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);

function computeUsage(requests: Amounts, limits: Amounts): Usage {
  const usage: Usage = new Map();
  for (const [name, amount] of requests) {
    const isKnown = COMPUTE.has(name) || name.startsWith('hugepages-');
    if (isKnown) usage.set(name, amount);
    if (isKnown || hasForeignDomain(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** Whether a pod has ended, or its grace period is over. */
function hasEnded(pod: JsonObject): boolean {
  const { phase } = partOf(pod, 'status');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metaOf(pod);
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return Date.now() > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

const REQUIRED_PER_CONTAINER = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/** The amounts that a quota demands and containers lack: `cpu for: a,b; memory for: a`. */
export function missingAmounts(pod: JsonObject, names: readonly string[]): string | undefined {
  const spec = partOf(pod, 'spec');
  const { requests, limits } = partOf(spec, 'resources');
  if (
    [...amountsIn(requests).keys(), ...amountsIn(limits).keys()].some(
      (name) => COMPUTE.has(name) || HUGE_PAGES.test(name),
    )
  )
    return undefined;
  const containers = ['containers', 'initContainers'].flatMap((list) => listOf(spec, list));
  const missing = names
    .filter((name) => REQUIRED_PER_CONTAINER.has(name))
    .flatMap((name) => {
      const without = containers.filter((container) => {
        const resources = partOf(container, 'resources');
        return !computeUsage(amountsIn(resources.requests), amountsIn(resources.limits)).has(name);
      });
      return without.length === 0
        ? []
        : [
            `${name} for: ${without
              .map((one) => String(one.name))
              .sort()
              .join(',')}`,
          ];
    });
  return missing.length === 0 ? undefined : missing.sort().join('; ');
}

import type { JsonObject, Quantity } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';
import { type Amounts, addAmounts, amountsIn } from './amounts.ts';
import { listOf, partOf } from './parts.ts';
import { podAmounts } from './pod-amounts.ts';

/** Some kinds are also counted by a name of their own. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'pods',
    ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ],
  services: ['services', 'services.nodeports', 'services.loadbalancers'],
  persistentvolumeclaims: ['persistentvolumeclaims', 'requests.storage'],
  configmaps: ['configmaps'],
  secrets: ['secrets'],
  resourcequotas: ['resourcequotas'],
  replicationcontrollers: ['replicationcontrollers'],
};

const HUGE_PAGES = /^(?:requests\.)?hugepages-/;
const OF_CLASS = '.storageclass.storage.k8s.io/';

/** Which of the names of a quota objects of a kind are counted by. Kinds go by the names under which they are stored. */
export function countedNames(storedAs: string, names: readonly string[]): string[] {
  const own = Object.hasOwn(OWN_NAMES, storedAs) ? (OWN_NAMES[storedAs] as readonly string[]) : [];
  return names.filter(
    (name) =>
      name === `count/${storedAs}` ||
      own.includes(name) ||
      (storedAs === 'pods' && (HUGE_PAGES.test(name) || isExtended(name))) ||
      (storedAs === 'persistentvolumeclaims' && own.some((one) => name.endsWith(OF_CLASS + one))),
  );
}

/** A resource that is not Kubernetes' own, which quotas know by what pods request of it. */
function isExtended(name: string): boolean {
  return name.startsWith('requests.') && isForeign(name.slice('requests.'.length));
}

function isForeign(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

/** What an object uses of what quotas can limit. */
export function usageOf(storedAs: string, object: JsonObject): Amounts {
  const usage = new Map([[`count/${storedAs}`, whole(1)]]);
  const more = SPECIAL[storedAs];
  if (more !== undefined) more(usage, object);
  else if (Object.hasOwn(OWN_NAMES, storedAs)) usage.set(storedAs, whole(1));
  return usage;
}

type Usage = Map<string, Quantity>;

const ONE = 1_000_000_000n;

function whole(count: number): Quantity {
  return { nanos: BigInt(count) * ONE, family: 'decimal' };
}

const SPECIAL: Readonly<Record<string, (usage: Usage, object: JsonObject) => void>> = {
  pods: addPod,
  services: addService,
  persistentvolumeclaims: addClaim,
};

function addPod(usage: Usage, pod: JsonObject): void {
  if (isOver(pod)) return;
  const spec = partOf(pod, 'spec');
  const overhead = amountsIn(spec.overhead);
  const requests = new Map(podAmounts(spec, 'requests'));
  const limits = new Map(podAmounts(spec, 'limits'));
  addAmounts(requests, overhead);
  // what is not limited is not made so by its overhead
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
    if (isKnown || isForeign(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** It has ended, or should have by now. */
function isOver(pod: JsonObject): boolean {
  const { phase } = partOf(pod, 'status');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metaOf(pod);
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return Date.now() > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function addService(usage: Usage, service: JsonObject): void {
  const spec = partOf(service, 'spec');
  const ports = listOf(spec, 'ports');
  const isBalanced = spec.type === 'LoadBalancer';
  const given = ports.filter(({ nodePort }) => Boolean(nodePort)).length;
  const balanced = spec.allocateLoadBalancerNodePorts === false ? given : ports.length;
  const nodePorts = isBalanced ? balanced : spec.type === 'NodePort' ? ports.length : 0;
  usage.set('services', whole(1));
  usage.set('services.nodeports', whole(nodePorts));
  usage.set('services.loadbalancers', whole(isBalanced ? 1 : 0));
}

const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

function addClaim(usage: Usage, claim: JsonObject): void {
  const spec = partOf(claim, 'spec');
  const storage = storageOf(amountsIn(partOf(spec, 'resources').requests), claim);
  const name = metaOf(claim).annotations?.[OLD_CLASS] ?? spec.storageClassName;
  for (const prefix of name ? ['', `${String(name)}${OF_CLASS}`] : ['']) {
    usage.set(`${prefix}persistentvolumeclaims`, whole(1));
    if (storage !== undefined) usage.set(`${prefix}requests.storage`, storage);
  }
}

/** In whole bytes: what is asked for, or what was already given where that is more. */
function storageOf(requests: Amounts, claim: JsonObject): Quantity | undefined {
  const asked = requests.get('storage');
  const given = amountsIn(partOf(claim, 'status').allocatedResources).get('storage');
  const most = asked !== undefined && given !== undefined && given.nanos > asked.nanos ? given : asked;
  return most && { ...most, nanos: ((most.nanos + ONE - 1n) / ONE) * ONE };
}

const TO_BE_SAID = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** What containers must say where a quota counts it, and do not: `cpu for: a,b; memory for: a`. */
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
    .filter((name) => TO_BE_SAID.has(name))
    .flatMap((name) => {
      const without = containers.filter((container) => {
        const said = partOf(container, 'resources');
        return !computeUsage(amountsIn(said.requests), amountsIn(said.limits)).has(name);
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

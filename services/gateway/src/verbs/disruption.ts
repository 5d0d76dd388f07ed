import { type Kind, metaOf, type Registry, selectorText } from '@tidegate/kinds';
import { copyOf, isJsonObject, type JsonObject, parseOwnJson, printTime } from '@tidegate/schema';
import { parseLabelSelector } from '@tidegate/selectors';
import { ApiError, forbiddenObject } from '@tidegate/status';
import { type Collections, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { WritePorts } from './create.ts';
import { setCondition } from './subresources.ts';

export interface DisruptionPorts extends WritePorts {
  readonly collections: Pick<Collections, 'latest'>;
  readonly registry: Pick<Registry, 'find'>;
}

/** The number of evictions that may wait until the disruption controller has counted them. */
const MAX_DISRUPTED = 2000;

/** The eviction of a finished, pending or terminating pod is no disruption. */
export function mayIgnoreBudget(pod: JsonObject): boolean {
  const { phase } = (pod.status ?? {}) as JsonObject;
  return ['Succeeded', 'Failed', 'Pending'].includes(String(phase)) || metaOf(pod).deletionTimestamp !== undefined;
}

/** The names of the budgets that count this pod. */
export async function budgetsOf(ports: DisruptionPorts, request: ResourceRequest, pod: JsonObject): Promise<string[]> {
  const { namespace } = request.info;
  const collection = await ports.collections.latest(budgetKind(ports));
  const labels = metaOf(pod).labels ?? {};
  const budgets = itemsOf(collection.snapshot().runs(namespace));
  return budgets.filter(({ json }) => selects(parseOwnJson(json), labels)).map(({ name }) => name);
}

/** An empty selector selects all pods of the namespace, a missing one none. */
function selects({ spec }: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const selector = isJsonObject(spec) ? spec.selector : undefined;
  if (!isJsonObject(selector)) return false;
  return parseLabelSelector(selectorText(selector))?.matches(labels) ?? true;
}

function budgetKind(ports: DisruptionPorts): Kind {
  return ports.registry.find('policy', 'v1', 'poddisruptionbudgets') as Kind;
}

/** Takes one disruption from the budget; false if the pod is unhealthy and does not count against it. */
export async function takeDisruption(
  ports: DisruptionPorts,
  request: ResourceRequest,
  { budget, pod }: { budget: string; pod: JsonObject },
): Promise<boolean> {
  const { entry } = budgetKind(ports);
  const info = {
    ...request.info,
    verb: 'update',
    group: entry.group,
    version: entry.version,
    resource: entry.resource,
    subresource: 'status',
    name: budget,
  };
  let taken = true;
  await ports.writer.write(
    { ...request, kind: budgetKind(ports), info },
    {
      operation: 'UPDATE',
      pinned: false,
      ownership: 'kept',
      isAdmitted: true,
      change: [
        (current) => {
          const object = copyOf(current);
          taken = isReady(pod) || !mayEvictUnhealthy(object);
          if (taken) decrement(object, metaOf(pod).name ?? '');
          return object;
        },
      ],
      answer: ({ code, json }) => ({ code, body: json }),
    },
  );
  return taken;
}

function isReady({ status }: JsonObject): boolean {
  const conditions = isJsonObject(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some((one) => isJsonObject(one) && one.type === 'Ready' && one.status === 'True');
}

function mayEvictUnhealthy(budget: JsonObject): boolean {
  const spec = (budget.spec ?? {}) as JsonObject;
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function countsOf({ status }: JsonObject) {
  const counts = (status ?? {}) as Record<string, number | undefined>;
  return {
    observedGeneration: counts.observedGeneration ?? 0,
    disruptionsAllowed: counts.disruptionsAllowed ?? 0,
    currentHealthy: counts.currentHealthy ?? 0,
    desiredHealthy: counts.desiredHealthy ?? 0,
  };
}

function decrement(budget: JsonObject, pod: string): void {
  const { name = '', generation = 0 } = metaOf(budget);
  const counts = countsOf(budget);
  if (counts.observedGeneration < generation) {
    throw cannotEvict(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const status = (budget.status ?? {}) as JsonObject;
  const disrupted = isJsonObject(status.disruptedPods) ? status.disruptedPods : {};
  const forbid = (why: string) => forbiddenObject({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
  if (counts.disruptionsAllowed < 0) throw forbid('pdb disruptions allowed is negative');
  if (Object.keys(disrupted).length > MAX_DISRUPTED) {
    throw forbid('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (counts.disruptionsAllowed === 0) throw cannotEvict(whyNot(name, budget));
  const now = printTime();
  const left = counts.disruptionsAllowed - 1;
  budget.status = { ...status, disruptionsAllowed: left, disruptedPods: { ...disrupted, [pod]: now } };
  if (left === 0) {
    const observedGeneration = counts.observedGeneration;
    setCondition(budget, {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'InsufficientPods',
      message: '',
      observedGeneration,
    });
  }
}

function whyNot(name: string, budget: JsonObject): string {
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  const { conditions = [] } = (budget.status ?? {}) as { conditions?: JsonObject[] };
  const condition = conditions.find(({ type, status }) => type === 'DisruptionAllowed' && status === 'False');
  const message = String(condition?.message ?? '');
  const no = `The disruption budget ${name} does not allow evicting pods currently`;
  if (message !== '' && condition?.reason === 'SyncFailed') return `${no} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return message === '' ? no : `${no} (${String(condition?.reason)}): ${message}`;
}

export function cannotEvict(why: string, retryAfterSeconds = 0): ApiError {
  return new ApiError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
      causes: [{ reason: 'DisruptionBudget', message: why }],
    },
  });
}

import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../rules/fields.ts';

const COMPUTE = ['cpu', 'memory'] as const;
type Amounts = Readonly<Record<string, unknown>>;

/**
 * The quality of service class: BestEffort when no container has requests or limits, Guaranteed when every container
 * limits CPU and memory and requests exactly that, Burstable otherwise.
 */
export function qualityOfService(pod: JsonObject): string {
  const containers = ['containers', 'initContainers'].flatMap(
    (list) => (valueAt(pod, `spec.${list}`) ?? []) as JsonObject[],
  );
  const resources = containers.map((container) => ({
    requests: amounts(container, 'resources.requests'),
    limits: amounts(container, 'resources.limits'),
  }));
  if (resources.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort';
  const guaranteed = resources.every(({ requests, limits }) =>
    COMPUTE.every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function amounts(container: JsonObject, path: string): Amounts {
  return (valueAt(container, path) ?? {}) as Amounts;
}

/** Whether no amount is set; "0" counts as not set. */
function isEmpty(amounts: Amounts): boolean {
  return COMPUTE.every((name) => amounts[name] === undefined || String(amounts[name]) === '0');
}

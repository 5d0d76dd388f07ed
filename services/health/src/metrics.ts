import type { MetricRegistry } from '@tidegate/service-kit';
import type { Replica } from './probes/replica.ts';

/** All metrics of the health service, each declared once. */
export function declareMetrics(registry: MetricRegistry) {
  return {
    check: registry.gauge({
      name: 'tidegate_health_check',
      help: '1 while a named check of a replica passes, 0 while it fails.',
      labelNames: ['part', 'replica', 'check'],
    }),
    reachable: registry.gauge({
      name: 'tidegate_health_target_reachable',
      help: '1 while a replica answers.',
      labelNames: ['target'],
    }),
  };
}

export type HealthMetrics = ReturnType<typeof declareMetrics>;

/** Shows only the current replicas: a restarted replica has another name, and the old one must be removed. */
export function showReplicas(metrics: HealthMetrics, replicas: readonly Replica[]): void {
  metrics.check.reset();
  metrics.reachable.reset();
  for (const { part, instance, address, isReachable, checks } of replicas) {
    metrics.reachable.labels({ target: address }).set(isReachable ? 1 : 0);
    for (const { name, passes } of checks)
      metrics.check.labels({ part, replica: instance, check: name }).set(passes ? 1 : 0);
  }
}

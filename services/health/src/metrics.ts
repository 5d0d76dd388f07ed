import type { MetricRegistry } from '@tidegate/service-kit';

/** Every metric of the health service, declared once. */
export function declareMetrics(registry: MetricRegistry) {
  return {
    check: registry.gauge({
      name: 'tidegate_health_check',
      help: '1 while a named check of a part passes, 0 while it fails.',
      labelNames: ['part', 'instance', 'check'],
    }),
    reachable: registry.gauge({
      name: 'tidegate_health_target_reachable',
      help: '1 while a part answers.',
      labelNames: ['target'],
    }),
  };
}

export type HealthMetrics = ReturnType<typeof declareMetrics>;

import type { MetricRegistry } from '@tidegate/service-kit';

export type ControllerMetrics = ReturnType<typeof controllerMetrics>;

/** All metrics of the controllers, each declared once. */
export function controllerMetrics(registry: MetricRegistry) {
  return {
    expired: registry.counter({
      name: 'tidegate_store_expired_objects_total',
      help: 'Objects deleted because their lifetime had ended.',
    }),
    collected: registry.counter({
      name: 'tidegate_store_garbage_collected_total',
      help: 'Actions of the garbage collector: delete, detach (from owners that no longer exist), unblock, orphan, release, failed.',
      labelNames: ['action'] as const,
    }),
    suspects: registry.gauge({
      name: 'tidegate_store_garbage_suspects',
      help: 'Objects that the garbage collector has yet to examine, and owners that wait for their dependents.',
      labelNames: ['state'] as const,
    }),
  };
}

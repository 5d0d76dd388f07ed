import type { MetricRegistry } from '@tidegate/service-kit';

export type ControllerMetrics = ReturnType<typeof controllerMetrics>;

/** Every metric of the controllers, declared once. */
export function controllerMetrics(registry: MetricRegistry) {
  return {
    expired: registry.counter({
      name: 'tidegate_store_expired_objects_total',
      help: 'Objects deleted because their time was over.',
    }),
    collected: registry.counter({
      name: 'tidegate_store_garbage_collected_total',
      help: 'What the garbage collector did to objects: delete, detach from owners that are gone, orphan, release, failed.',
      labelNames: ['action'] as const,
    }),
    suspects: registry.gauge({
      name: 'tidegate_store_garbage_suspects',
      help: 'Objects that the garbage collector has yet to look at, and owners that wait for their dependents.',
      labelNames: ['state'] as const,
    }),
  };
}

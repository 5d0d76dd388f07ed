import type { MetricRegistry } from '@tidegate/service-kit';

export type StoreMetrics = ReturnType<typeof storeMetrics>;

/** All metrics of the store, each declared once; those of the controllers are in controllers/metrics.ts. */
export function storeMetrics(registry: MetricRegistry) {
  return {
    commitSeconds: registry.histogram({
      name: 'tidegate_store_commit_seconds',
      help: 'Time of one commit call to PostgreSQL, for a whole batch.',
      buckets: [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8],
    }),
    commitBatchSize: registry.histogram({
      name: 'tidegate_store_commit_batch_size',
      help: 'Number of writes in one commit call.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    }),
    writes: registry.counter({
      name: 'tidegate_store_writes_total',
      help: 'Writes answered, by outcome.',
      labelNames: ['outcome'] as const,
    }),
    reads: registry.counter({ name: 'tidegate_store_reads_total', help: 'Keys read.' }),
    publish: registry.counter({
      name: 'tidegate_store_publish_total',
      help: 'Messages for JetStream, by result; the watch service reads changes without an ack from the log.',
      labelNames: ['result'] as const,
    }),
    rotations: registry.counter({
      name: 'tidegate_store_log_rotations_total',
      help: 'Rotations of the log, which truncate its oldest slot, by result.',
      labelNames: ['result'] as const,
    }),
    floorRevision: registry.gauge({
      name: 'tidegate_store_floor_revision',
      help: 'The oldest revision that can be listed exactly.',
    }),
    tableBytes: registry.gauge({
      name: 'tidegate_store_table_bytes',
      help: 'Size of the tables with their indexes and large values.',
      labelNames: ['table'] as const,
    }),
    headRevision: registry.gauge({
      name: 'tidegate_store_head_revision',
      help: 'The newest revision that this replica knows.',
    }),
    queueLength: registry.gauge({
      name: 'tidegate_store_queue_length',
      help: 'Requests waiting for PostgreSQL.',
      labelNames: ['queue'] as const,
    }),
  };
}

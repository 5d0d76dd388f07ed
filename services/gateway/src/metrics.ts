import type { WindowMemory } from '@tidegate/collection';
import type { MetricRegistry } from '@tidegate/service-kit';

/** All metrics of the gateway, each declared once. Metrics with names of Kubernetes have the same meaning as there. */
export function declareMetrics(registry: MetricRegistry, windows: WindowMemory) {
  return {
    droppedConnections: registry.counter({
      name: 'tidegate_gateway_dropped_connections_total',
      help: 'Connections closed before TLS because their address had twice the allowed number.',
    }),
    handshakeErrors: registry.counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections whose TLS handshake failed.',
    }),
    watchEvents: registry.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events written to watchers.',
      labelNames: ['group', 'version', 'resource'],
    }),
    mirrors: registry.gauge({ name: 'tidegate_gateway_mirrors', help: 'Collections mirrored in this process.' }),
    mirrorBytes: registry.gauge({ name: 'tidegate_gateway_mirror_bytes', help: 'Approximate size of the mirrors.' }),
    mirrorRevision: registry.gauge({
      name: 'tidegate_gateway_mirror_revision',
      help: 'The mirrors are complete through this revision.',
    }),
    collectionBytes: registry.gauge({
      name: 'tidegate_gateway_collection_bytes',
      help: 'Approximate sizes of collections above 1 MiB, as reported by the watch service.',
      labelNames: ['resource'] as const,
    }),
    windowBytes: registry.gauge({
      name: 'tidegate_gateway_window_bytes',
      help: 'Bytes that are kept only for the history of the mirrors.',
      collect() {
        this.set(windows.bytes);
      },
    }),
    windowSeconds: registry.gauge({
      name: 'tidegate_gateway_window_seconds',
      help: 'Length of the shortest window of all mirrors; 300 unless memory has shortened one.',
      collect() {
        this.set(windows.reachMs() / 1000);
      },
    }),
    lagSeconds: registry.histogram({
      name: 'tidegate_gateway_lag_seconds',
      help: 'Time from a commit in the store until the change is in the mirrors, by the clocks of both machines.',
      buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8],
    }),
    gets: registry.counter({
      name: 'tidegate_gateway_gets_total',
      help: "Gets of the current state of an object by its source: mirror (complete through the store's newest revision) or store.",
      labelNames: ['source'],
    }),
    lists: registry.counter({
      name: 'tidegate_gateway_lists_total',
      help: 'Lists by the source of their state: mirror, watch (collection too large for a mirror) or store (revision no longer mirrored).',
      labelNames: ['source'],
    }),
    webhookFailures: registry.counter({
      name: 'tidegate_gateway_webhook_failures_total',
      help: 'Calls of admission webhooks without a usable answer, independent of their failure policy.',
      labelNames: ['name'],
    }),
    webhookSeconds: registry.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Duration of calls of admission webhooks, including failed ones.',
      labelNames: ['name', 'type', 'operation', 'rejected'],
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    }),
    webhookRejections: registry.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that admission webhooks denied, or that were rejected because the call failed.',
      labelNames: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    }),
    webhookFailOpens: registry.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Requests that continued after a failed call of an admission webhook (failurePolicy Ignore).',
      labelNames: ['name', 'type'],
    }),
    aggregatedRequests: registry.counter({
      name: 'tidegate_gateway_aggregated_requests_total',
      help: 'Requests forwarded to aggregated API servers, by APIService and status code.',
      labelNames: ['api_service', 'code'],
    }),
    unavailableApiServices: registry.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: '1 if the last check of this gateway found the server of the APIService unavailable, else 0.',
      labelNames: ['name'] as const,
    }),
    conversionCalls: registry.counter({
      name: 'tidegate_gateway_conversion_calls_total',
      help: 'Calls of conversion webhooks by outcome: converted, refused or unanswered.',
      labelNames: ['definition', 'outcome'],
    }),
    convertedObjects: registry.counter({
      name: 'tidegate_gateway_converted_objects_total',
      help: 'Objects converted by conversion webhooks.',
      labelNames: ['definition'],
    }),
    storeRetries: registry.counter({
      name: 'tidegate_gateway_store_retries_total',
      help: 'Messages sent to a store again because the answer was lost.',
    }),
    storeStreamsResumed: registry.counter({
      name: 'tidegate_gateway_store_streams_resumed_total',
      help: 'Streams of lists and history that failed and were resumed at another store.',
    }),
    watchListsResumed: registry.counter({
      name: 'tidegate_gateway_watch_lists_resumed_total',
      help: 'Lists from the watch service that failed and were resumed at another replica.',
    }),
  };
}

export type GatewayMetrics = ReturnType<typeof declareMetrics>;

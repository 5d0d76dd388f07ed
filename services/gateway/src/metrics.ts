import type { WindowMemory } from '@tidegate/collection';
import type { MetricRegistry } from '@tidegate/service-kit';

/** Every metric of the gateway, declared once; names that Kubernetes dashboards know mean what they mean there. */
export function declareMetrics(registry: MetricRegistry, windows: WindowMemory) {
  return {
    droppedConnections: registry.counter({
      name: 'tidegate_gateway_dropped_connections_total',
      help: 'Connections that were closed before TLS because their address had twice as many as it may.',
    }),
    handshakeErrors: registry.counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections on which TLS did not come about.',
    }),
    watchEvents: registry.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events written to watchers.',
      labelNames: ['group', 'version', 'resource'],
    }),
    mirrors: registry.gauge({ name: 'tidegate_gateway_mirrors', help: 'Collections mirrored in this process.' }),
    mirrorBytes: registry.gauge({ name: 'tidegate_gateway_mirror_bytes', help: 'About what the mirrors hold.' }),
    mirrorRevision: registry.gauge({
      name: 'tidegate_gateway_mirror_revision',
      help: 'The mirrors are complete through this revision.',
    }),
    collectionBytes: registry.gauge({
      name: 'tidegate_gateway_collection_bytes',
      help: 'About how large collections of more than a MiB are, as the watch service tells.',
      labelNames: ['resource'] as const,
    }),
    windowBytes: registry.gauge({
      name: 'tidegate_gateway_window_bytes',
      help: 'Bytes that the history of the mirrors alone keeps alive.',
      collect() {
        this.set(windows.bytes);
      },
    }),
    windowSeconds: registry.gauge({
      name: 'tidegate_gateway_window_seconds',
      help: 'How far back the window reaches that memory has shortened most; 300 when none is shortened.',
      collect() {
        this.set(windows.reachMs() / 1000);
      },
    }),
    lagSeconds: registry.histogram({
      name: 'tidegate_gateway_lag_seconds',
      help: "From a store's knowing of a commit to the change being in the mirrors here, by the clocks of both machines.",
      buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8],
    }),
    lists: registry.counter({
      name: 'tidegate_gateway_lists_total',
      help: 'Lists by where their state came from: the mirror, or the store when the mirror has forgotten it.',
      labelNames: ['source'],
    }),
    webhookFailures: registry.counter({
      name: 'tidegate_gateway_webhook_failures_total',
      help: 'Calls of admission webhooks that got no usable answer, whatever their failure policy makes of it.',
      labelNames: ['name'],
    }),
    webhookSeconds: registry.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'How long admission webhooks took to answer, or not to.',
      labelNames: ['name', 'type', 'operation', 'rejected'],
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    }),
    webhookRejections: registry.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that admission webhooks refused, or that were refused because they could not be asked.',
      labelNames: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    }),
    webhookFailOpens: registry.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Requests that went on though an admission webhook could not be asked, as its failure policy says.',
      labelNames: ['name', 'type'],
    }),
    aggregatedRequests: registry.counter({
      name: 'tidegate_gateway_aggregated_requests_total',
      help: 'Requests sent on to servers behind the API, by APIService, with the code of the answer.',
      labelNames: ['api_service', 'code'],
    }),
    unavailableApiServices: registry.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: '1 for an APIService whose server this gateway found not available when it looked last, else 0.',
      labelNames: ['name'] as const,
    }),
    conversionCalls: registry.counter({
      name: 'tidegate_gateway_conversion_calls_total',
      help: 'Calls of conversion webhooks by what became of them: converted, refused, or unanswered.',
      labelNames: ['definition', 'outcome'],
    }),
    convertedObjects: registry.counter({
      name: 'tidegate_gateway_converted_objects_total',
      help: 'Objects that conversion webhooks have converted.',
      labelNames: ['definition'],
    }),
    storeRetries: registry.counter({
      name: 'tidegate_gateway_store_retries_total',
      help: 'Messages sent to a store again because their answer was lost.',
    }),
    storeStreamsResumed: registry.counter({
      name: 'tidegate_gateway_store_streams_resumed_total',
      help: 'Streams of lists and history that broke, and went on at another store.',
    }),
    watchListsResumed: registry.counter({
      name: 'tidegate_gateway_watch_lists_resumed_total',
      help: 'Lists from the watch service that broke, and went on at another replica.',
    }),
  };
}

export type GatewayMetrics = ReturnType<typeof declareMetrics>;

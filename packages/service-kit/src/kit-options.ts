import type { Options, OptionTable } from '@tidegate/options';

/** The options that every part has; a part's own table spreads these. */
export const kitOptions = {
  instance: { type: 'string', default: '', help: "this replica's name in logs, traces and checks (default: part-pid)" },
  'grpc-address': {
    type: 'string',
    default: '127.0.0.1:0',
    value: 'HOST:PORT',
    help: 'where the other parts call this one',
  },
  'ops-address': {
    type: 'string',
    default: '',
    value: 'HOST:PORT',
    help: 'plain HTTP for probes and /metrics only; empty: none',
  },
  'grpc-health-address': {
    type: 'string',
    default: '',
    value: 'HOST:PORT',
    help: 'plain gRPC for health probes only (grpc.health.v1), as kubelets ask; empty: none',
  },
  'peer-cert-file': { type: 'string', required: true, value: 'FILE', help: 'certificate of this part among the parts' },
  'peer-key-file': { type: 'string', required: true, value: 'FILE', help: 'its key' },
  'peer-ca-file': { type: 'string', required: true, value: 'FILE', help: "the parts' own certificate authority" },
  'otlp-endpoint': {
    type: 'string',
    default: '',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    value: 'URL',
    help: 'OTLP over HTTP; empty: no traces',
  },
  'trace-sample-ratio': { type: 'number', default: 1, help: 'share of requests traced when the caller did not decide' },
  'log-level': { type: 'string', default: 'info', help: 'trace, debug, info, warn, error' },
  lifeline: { type: 'boolean', default: false, help: 'stop when standard input closes: the parent is gone' },
} as const satisfies OptionTable;

export type KitConfig = Options<typeof kitOptions>;

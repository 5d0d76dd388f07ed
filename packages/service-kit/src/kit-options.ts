import type { Options, OptionTable } from '@tidegate/options';

/** The options of every part. The tables of the parts include them. */
export const kitOptions = {
  instance: { type: 'string', default: '', help: "this replica's name in logs, traces and checks (default: part-pid)" },
  'grpc-address': {
    type: 'string',
    default: '127.0.0.1:0',
    value: 'HOST:PORT',
    help: 'the address on which this part serves the other parts',
  },
  'ops-address': {
    type: 'string',
    default: '',
    value: 'HOST:PORT',
    help: 'plain HTTP for probes and /metrics only; empty: not served',
  },
  'grpc-health-address': {
    type: 'string',
    default: '',
    value: 'HOST:PORT',
    help: 'plain gRPC for health probes of kubelets only (grpc.health.v1); empty: not served',
  },
  'peer-cert-file': {
    type: 'string',
    required: true,
    value: 'FILE',
    help: 'the certificate by which the other parts authenticate this one',
  },
  'peer-key-file': { type: 'string', required: true, value: 'FILE', help: 'its key' },
  'peer-ca-file': { type: 'string', required: true, value: 'FILE', help: 'the certificate authority of all parts' },
  'otlp-endpoint': {
    type: 'string',
    default: '',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    value: 'URL',
    help: 'the receiver of traces: OTLP over HTTP; empty: no traces',
  },
  'trace-sample-ratio': {
    type: 'number',
    default: 1,
    help: 'the share of requests that are sampled, if the caller has not decided',
  },
  'log-level': { type: 'string', default: 'info', help: 'trace, debug, info, warn, error' },
  lifeline: {
    type: 'boolean',
    default: false,
    help: 'stop when standard input closes, which means that the parent process has ended',
  },
} as const satisfies OptionTable;

export type KitConfig = Options<typeof kitOptions>;

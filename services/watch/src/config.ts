import { kitOptions, natsOptions, type OptionTable } from '@tidegate/service-kit';

/** The watch service's options. Flags, environment variables and help texts are derived from this table only. */
export const options = {
  ...kitOptions,
  'store-addresses': {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of the stores; dns:///NAME:PORT for all addresses of the name',
  },
  ...natsOptions,
  'self-check-seconds': {
    type: 'number',
    default: 300,
    help: 'interval of comparing all collections with the store',
  },
  'window-memory-mib': {
    type: 'number',
    default: 512,
    help: 'memory for the history of all collections; older history is read from the store',
  },
} as const satisfies OptionTable;

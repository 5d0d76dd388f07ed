import { kitOptions, natsOptions, type OptionTable } from '@tidegate/service-kit';

/** The watch service's options: flags, environment and help come from this table, and nothing else reads them. */
export const options = {
  ...kitOptions,
  'store-addresses': {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of the stores; dns:///NAME:PORT for all that the name leads to',
  },
  ...natsOptions,
  'self-check-seconds': {
    type: 'number',
    default: 300,
    help: 'how often all that is held here is compared with the store',
  },
  'window-memory-mib': {
    type: 'number',
    default: 512,
    help: 'memory for the history of all collections; what does not fit is read from the store',
  },
} as const satisfies OptionTable;

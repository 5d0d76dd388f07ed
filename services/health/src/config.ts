import { kitOptions, type OptionTable } from '@tidegate/service-kit';

/** The health service's options: flags, environment and help come from this table, and nothing else reads them. */
export const options = {
  ...kitOptions,
  'http-address': {
    type: 'string',
    default: '127.0.0.1:6480',
    value: 'HOST:PORT',
    help: 'the board, its JSON and the aggregate probes',
  },
  targets: {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of every part to ask; dns:///NAME:PORT for all that the name leads to',
  },
} as const satisfies OptionTable;

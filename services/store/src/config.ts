import { kitOptions, natsOptions, type Options, type OptionTable } from '@tidegate/service-kit';
import { controllerOptions } from './controllers/options.ts';

/** The store's options. Flags, environment variables and help texts are derived from this table only. */
export const options = {
  ...kitOptions,
  'postgres-url': {
    type: 'string',
    required: true,
    value: 'URL',
    help: 'PostgreSQL 15 or newer; several hosts for failover',
  },
  'postgres-direct-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'the same database without a pooler, for LISTEN; empty: --postgres-url',
  },
  'postgres-migration-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'the same database with the role that owns the schema; empty: --postgres-direct-url',
  },
  'postgres-prepare': {
    type: 'boolean',
    default: true,
    help: 'use named statements; false behind a pooler in transaction mode that does not support them (pgbouncer before 1.21)',
  },
  'allow-data-loss': {
    type: 'boolean',
    default: false,
    help: 'start although PostgreSQL has fsync or synchronous_commit off: acknowledged writes may be lost in a crash',
  },
  ...natsOptions,
  'nats-storage': {
    type: 'string',
    default: 'memory',
    help: 'where JetStream keeps changes: memory or file',
  },
  'nats-replicas': { type: 'number', default: 1, help: 'the number of servers that keep each change: 1, 3 or 5' },
  'nats-max-mib': { type: 'number', default: 256, help: 'how much JetStream may keep; older changes are in the log' },
  'nats-max-age-seconds': { type: 'number', default: 0, help: 'how long JetStream keeps changes; 0: --window-seconds' },
  'window-seconds': { type: 'number', default: 300, help: 'how long history is kept for watches and exact lists' },
  'encryption-provider-config': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'EncryptionConfiguration file: which resources are encrypted at rest, with which keys; reloaded when it changes',
  },
  ...controllerOptions,
} as const satisfies OptionTable;

export type StoreConfig = Options<typeof options>;

import type { OptionTable } from '@tidegate/options';

const postgresUrl = {
  type: 'string',
  default: '',
  value: 'URL',
  help: 'the database; a URL with a password belongs into the environment',
} as const;

export const backupOptions = {
  'postgres-url': { ...postgresUrl, required: true },
  out: {
    type: 'string',
    required: true,
    value: 'FILE',
    help: 'the file to write, which must not exist; - is standard output',
  },
} as const satisfies OptionTable;

export const restoreOptions = {
  'postgres-url': postgresUrl,
  file: { type: 'string', required: true, value: 'FILE', help: 'the backup; - is standard input' },
  replace: { type: 'boolean', default: false, help: 'whatever the database holds is lost' },
  'verify-only': { type: 'boolean', default: false, help: 'read the file to its end, and restore nothing' },
} as const satisfies OptionTable;

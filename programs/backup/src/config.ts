import type { OptionTable } from '@tidegate/options';

const postgresUrl = {
  type: 'string',
  default: '',
  value: 'URL',
  help: 'the database; put a URL with a password into the environment',
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
  replace: { type: 'boolean', default: false, help: 'delete the present contents of the database' },
  'verify-only': { type: 'boolean', default: false, help: 'only verify the file, and restore nothing' },
} as const satisfies OptionTable;

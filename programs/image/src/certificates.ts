import { join } from 'node:path';
import { ensureAdminToken, ensureCertificates, PARTS, writeKubeconfig } from '@tidegate/local';
import type { Options, OptionTable } from '@tidegate/options';

export const certificateOptions = {
  dir: { type: 'string', required: true, value: 'DIR', help: 'the directory of the certificates; valid ones are kept' },
  'serving-names': {
    type: 'list',
    value: 'NAME,...',
    help: 'names and addresses of the gateway for clients, beside localhost',
  },
  server: {
    type: 'string',
    default: 'https://localhost:6443',
    value: 'URL',
    help: "the URL of the gateway, for the administrator's kubeconfig",
  },
} as const satisfies OptionTable;

/**
 * Creates the certificates of all parts, and an administrator's token and kubeconfig. Every user who can read the
 * directory has all permissions, so it is for trials only.
 */
export async function makeCertificates(options: Options<typeof certificateOptions>): Promise<void> {
  const { dir, server, servingNames } = options;
  const made = await ensureCertificates({
    dir,
    parts: PARTS,
    bindAddress: '0.0.0.0',
    peerNames: (part) => [part],
    servingNames: ['gateway', ...servingNames],
  });
  const token = ensureAdminToken(join(dir, 'tokens.csv'));
  writeKubeconfig(join(dir, 'kubeconfig'), { server, caPem: made.caPem, token });
}

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writePrivateFile } from './data/private-file.ts';
import { isErrno, UserError } from './user-error.ts';

const FIRST_LINE = '# Written by tidegate at each start. It holds a bearer token: keep it to yourself.';

interface KubeconfigFacts {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

export function kubeconfigText(facts: KubeconfigFacts): string {
  return `${FIRST_LINE}
apiVersion: v1
kind: Config
current-context: tidegate
clusters:
- name: tidegate
  cluster:
    server: ${JSON.stringify(facts.server)}
    certificate-authority-data: ${Buffer.from(facts.caPem).toString('base64')}
contexts:
- name: tidegate
  context:
    cluster: tidegate
    user: tidegate-admin
users:
- name: tidegate-admin
  user:
    token: ${JSON.stringify(facts.token)}
`;
}

/** A file that tidegate has not written is never replaced: it may be the only access to another cluster. */
export function refuseForeignKubeconfig(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return;
    throw new UserError(`cannot read ${file}: choose another file with --kubeconfig`, { cause: error });
  }
  if (text !== '' && !text.startsWith(FIRST_LINE)) {
    throw new UserError(
      `${file} was not written by tidegate and would be replaced: choose another file with --kubeconfig`,
    );
  }
}

export function writeKubeconfig(file: string, facts: KubeconfigFacts): void {
  refuseForeignKubeconfig(file);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writePrivateFile(file, kubeconfigText(facts));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UserError(`cannot write ${file} (${error.message}): choose another file with --kubeconfig`, {
      cause: error,
    });
  }
}

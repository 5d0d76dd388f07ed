import { readFileSync } from 'node:fs';
import { isErrno, readRunState, UserError } from '@tidegate/local';
import { readDataDir } from './data-dir-option.ts';

const about = 'tidegate kubeconfig [option...]\n\nPrints the kubeconfig. It contains a bearer token: keep it secret.';

export async function run(argv: readonly string[]): Promise<number> {
  const dir = readDataDir(argv, about);
  if (dir === undefined) return 0;
  const file = readRunState(dir.runFile)?.kubeconfig ?? dir.kubeconfig;
  try {
    process.stdout.write(readFileSync(file, 'utf8'));
    return 0;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) {
      throw new UserError(`${file} does not exist yet: run \`tidegate start\` once`, { cause: error });
    }
    if (isErrno(error, 'EACCES')) throw new UserError(`this user may not read ${file}`, { cause: error });
    throw error;
  }
}

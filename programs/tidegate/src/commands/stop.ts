import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno, isRunning, lockHolder, UserError } from '@tidegate/local';
import { Screen } from '../screen/screen.ts';
import { readDataDir } from './data-dir-option.ts';

const about = 'tidegate stop [option...]\n\nStops the running system in order, and waits for it. The data is kept.';
/** longer than all parts together may take */
const LIMIT_MS = 90_000;

export async function run(argv: readonly string[]): Promise<number> {
  const dir = readDataDir(argv, about);
  if (dir === undefined) return 0;
  const screen = new Screen();
  const holder = lockHolder(dir.lockFile);
  if (holder === undefined) {
    screen.line(`nothing runs on ${dir.path}`);
    return 0;
  }
  try {
    process.kill(holder.pid, 'SIGTERM');
  } catch (error) {
    // ESRCH: it has ended since its lock was read
    if (!isErrno(error, 'EPERM', 'ESRCH')) throw error;
    if (error.code === 'EPERM') {
      throw new UserError(`tidegate runs as another user (process ${holder.pid}): stop it as that user`, {
        cause: error,
      });
    }
  }
  const gone = async (): Promise<boolean> => {
    const end = Date.now() + LIMIT_MS;
    while (isRunning(holder) && Date.now() < end) await sleep(20);
    return !isRunning(holder);
  };
  if (!(await screen.during('stopping', gone()))) {
    throw new UserError(`tidegate (process ${holder.pid}) did not stop within ${LIMIT_MS / 1000} s: see ${dir.logs}`);
  }
  screen.line('stopped');
  return 0;
}

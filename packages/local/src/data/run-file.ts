import { readFileSync } from 'node:fs';
import { isErrno } from '../user-error.ts';
import { writePrivateFile } from './private-file.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** One process of the running installation, for `status` and tests. */
export interface RunningPart extends ProcessIdentity {
  readonly name: string;
  readonly startedAt: string;
  readonly restarts: number;
  readonly grpcAddress?: string;
  readonly opsAddress?: string;
}

/** The state that `start` publishes while it runs. */
export interface RunState {
  readonly launcher: ProcessIdentity;
  readonly version: string;
  readonly startedAt: string;
  readonly server: string;
  readonly kubeconfig: string;
  readonly nats: string;
  readonly board?: string;
  readonly ready: boolean;
  /**
   * the directory of PostgreSQL's socket, outside the data directory; removed later after a launcher that was killed
   */
  readonly socketDir?: string;
  /** the directory of the parts' sockets, likewise */
  readonly partsDir?: string;
  readonly parts: readonly RunningPart[];
}

export function writeRunState(file: string, state: RunState): void {
  writePrivateFile(file, `${JSON.stringify(state, undefined, 2)}\n`);
}

/** undefined where there is no file, or only an incomplete one after a crash */
export function readRunState(file: string): RunState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunState;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

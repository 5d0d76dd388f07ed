import { readFileSync } from 'node:fs';
import { isErrno } from '../trouble.ts';
import { writePrivateFile } from './private-file.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** One process of the running installation, as `status` and tests see it. */
export interface RunningPart extends ProcessIdentity {
  readonly name: string;
  readonly startedAt: string;
  readonly restarts: number;
  readonly grpcAddress?: string;
  readonly opsAddress?: string;
}

/** What `start` tells others about itself while it runs. */
export interface RunState {
  readonly launcher: ProcessIdentity;
  readonly version: string;
  readonly startedAt: string;
  readonly server: string;
  readonly kubeconfig: string;
  readonly nats: string;
  readonly board?: string;
  readonly ready: boolean;
  /** a directory outside the data directory, to be removed after a launcher that could not do it */
  readonly socketDir?: string;
  /** the same for the sockets of the parts */
  readonly partsDir?: string;
  readonly parts: readonly RunningPart[];
}

export function writeRunState(file: string, state: RunState): void {
  writePrivateFile(file, `${JSON.stringify(state, undefined, 2)}\n`);
}

/** Undefined when there is none; one that a crash cut short counts as none. */
export function readRunState(file: string): RunState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunState;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

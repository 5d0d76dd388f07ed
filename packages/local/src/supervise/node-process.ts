import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { LogFile } from './log-file.ts';
import { endingOf, type Running } from './running.ts';

interface NodeProcessOptions {
  readonly main: string;
  readonly args: readonly string[];
  readonly log: LogFile;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * New objects have 8 MiB, and not 16, until they are looked at: a part that has been started has up to 15 MiB less resident,
 * and under load it takes no more time. A gateway collects garbage itself after large objects.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--expose-gc'];

/** A part of our own: it stops on SIGTERM, and by itself when its standard input closes. */
export function startNodeProcess(options: NodeProcessOptions): Running {
  const child = spawn(process.execPath, [...NODE_FLAGS, options.main, ...options.args, '--lifeline'], {
    stdio: ['pipe', options.log.fd, options.log.fd],
    detached: true,
    env: options.env,
  }) as ChildProcessByStdio<Writable, null, null>;
  closeSync(options.log.fd);
  // EPIPE: the process has ended, which is told by its end
  child.stdin.on('error', () => {});
  return {
    pid: child.pid,
    known: Promise.resolve(),
    ended: endingOf(child),
    askToStop: () => child.kill('SIGTERM'),
    kill: () => child.kill('SIGKILL'),
  };
}

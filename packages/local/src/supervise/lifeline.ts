import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { LogFile } from './log-file.ts';
import { endingOf, type Running, signalQuietly } from './running.ts';

/**
 * Foreign servers do not watch their parent, and must not outlive a launcher that was killed. So a shell starts the
 * server, tells its number, and reads its own input: each line is a signal to pass on, and the end of input (the
 * launcher is gone, whichever way) is the signal to stop. It ends as the server ends.
 */
const SCRIPT = `
last=$1; shift
exec 3<&0
"$@" </dev/null >&2 3<&- &
server=$!
echo $server
{ while read -r signal; do kill -s "$signal" $server; done; kill -s "$last" $server; } <&3 2>/dev/null &
reader=$!
wait $server
code=$?
kill $reader 2>/dev/null
exit $code
`;

const LAST_WAIT_MS = 8000;

interface LifelineOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly stopSignal: NodeJS.Signals;
  /** what ends it when it does not stop in time; SIGKILL follows when that is not heard, either */
  readonly killSignal?: NodeJS.Signals;
  readonly log: LogFile;
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

export function startUnderLifeline(options: LifelineOptions): Running {
  const name = (signal: NodeJS.Signals): string => signal.replace(/^SIG/, '');
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', name(options.stopSignal), options.command, ...options.args], {
    stdio: ['pipe', 'pipe', options.log.fd],
    // a process group of its own: Ctrl-C of the terminal reaches the launcher only
    detached: true,
    // the launcher's own directory may be closed to the user that the server runs as
    cwd: '/',
    env: options.env,
    uid: options.uid,
    gid: options.gid,
  }) as ChildProcessByStdio<Writable, Readable, null>;
  closeSync(options.log.fd);
  let pid: number | undefined;
  const told = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      pid = Number(line);
      child.stdout.destroy();
      resolve();
    });
  });
  // EPIPE: the process has ended, which is told by its end
  child.stdin.on('error', () => {});
  const ended = endingOf(child);
  return {
    get pid() {
      return pid;
    },
    known: Promise.race([told, ended]),
    ended,
    askToStop: () => child.stdin.end(),
    kill: () => {
      signalQuietly(pid ?? child.pid, options.killSignal ?? 'SIGKILL');
      const last = setTimeout(() => signalQuietly(pid ?? child.pid, 'SIGKILL'), LAST_WAIT_MS);
      ended.then(() => clearTimeout(last));
    },
  };
}

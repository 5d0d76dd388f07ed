import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { LogFile } from './log-file.ts';
import { endingOf, type Running, signalQuietly } from './running.ts';

/**
 * PostgreSQL and NATS do not notice when their parent dies, and must not outlive a launcher that was killed. Therefore
 * a shell starts the server, prints its process id, and reads its own input: each line is a signal for the server, and
 * the end of input, which means that the launcher is gone, stops the server. The shell exits with the server's exit
 * code.
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
  /** the signal for a server that does not stop in time; SIGKILL follows if it has no effect */
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
    // in its own process group, so that Ctrl-C of the terminal reaches only the launcher
    detached: true,
    // the user of the server may have no access to the launcher's directory
    cwd: '/',
    env: options.env,
    uid: options.uid,
    gid: options.gid,
  }) as ChildProcessByStdio<Writable, Readable, null>;
  closeSync(options.log.fd);
  let pid: number | undefined;
  const reported = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      pid = Number(line);
      child.stdout.destroy();
      resolve();
    });
  });
  // what a server reported is read even if it has ended meanwhile
  const silent = new Promise<void>((resolve) => {
    child.stdout.once('close', resolve);
  });
  // EPIPE: the process has ended, which `ended` reports
  child.stdin.on('error', () => {});
  const ended = endingOf(child);
  return {
    get pid() {
      return pid;
    },
    known: Promise.race([reported, Promise.all([ended, silent])]),
    ended,
    requestStop: () => child.stdin.end(),
    kill: () => {
      signalQuietly(pid ?? child.pid, options.killSignal ?? 'SIGKILL');
      const last = setTimeout(() => signalQuietly(pid ?? child.pid, 'SIGKILL'), LAST_WAIT_MS);
      ended.then(() => clearTimeout(last));
    },
  };
}

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { UserError } from '../user-error.ts';

/** The user that a server runs as. PostgreSQL refuses to run as root, so root uses another user or a user namespace. */
export type RunAs =
  | { readonly kind: 'self' }
  | { readonly kind: 'user'; readonly name: string; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace' };

const NAMESPACE = ['unshare', '--user', '--map-user=1000', '--map-group=1000'] as const;

interface Choice {
  readonly uid: number;
  readonly passwd: string;
  /** whether the server can run so: it reaches its files, and can own its directories */
  readonly works: (runAs: RunAs) => boolean;
}

/**
 * Prefers an existing unprivileged user, which needs access to every parent directory, and so cannot use root's home. A
 * user namespace keeps root's access to its files, while the process does not count as root.
 */
export function chooseRunAs(choice: Choice): RunAs | undefined {
  if (choice.uid !== 0) return { kind: 'self' };
  const ways: RunAs[] = ['postgres', 'nobody'].flatMap((name) => userNamed(choice.passwd, name) ?? []);
  ways.push({ kind: 'namespace' });
  return ways.find(choice.works);
}

interface Reach {
  readonly program: string;
  readonly readable: readonly string[];
  /** directories that the user must be able to pass */
  readonly passable: readonly string[];
}

export function runAsFor(reach: Reach): RunAs {
  const runAs = chooseRunAs({
    uid: process.getuid?.() ?? -1,
    passwd: readPasswd(),
    works: (way) => canRun(way, reach),
  });
  if (runAs !== undefined) return runAs;
  throw new UserError(
    `PostgreSQL refuses to run as root, and neither the users postgres and nobody nor a user namespace can reach ${reach.program} and ${reach.passable[0]}: start as an ordinary user, or clone to and keep --data-dir in a directory that is open to others, or give a running PostgreSQL with --postgres-url`,
  );
}

const REACHES = `
"$1" --version >/dev/null || exit 1; shift
for path; do case $path in r:*) test -r "\${path#r:}" ;; *) test -x "\${path#x:}" ;; esac || exit 1; done
`;

function canRun(runAs: RunAs, reach: Reach): boolean {
  const paths = [...reach.readable.map((path) => `r:${path}`), ...reach.passable.map((path) => `x:${path}`)];
  const { command, args, uid, gid } = commandAs(runAs, '/bin/sh', ['-c', REACHES, 'sh', reach.program, ...paths]);
  const ids = uid === undefined ? {} : { uid, gid };
  return spawnSync(command, args, { cwd: '/', stdio: 'ignore', timeout: 10_000, ...ids }).status === 0;
}

interface Command {
  readonly command: string;
  readonly args: string[];
  readonly uid?: number;
  readonly gid?: number;
}

export function commandAs(runAs: RunAs, command: string, args: readonly string[]): Command {
  switch (runAs.kind) {
    case 'self':
      return { command, args: [...args] };
    case 'user':
      return { command, args: [...args], uid: runAs.uid, gid: runAs.gid };
    case 'namespace':
      return { command: NAMESPACE[0], args: [...NAMESPACE.slice(1), command, ...args] };
  }
}

/** Changes the owner of a directory and its contents to the server's user, if it differs. */
export function giveTo(runAs: RunAs, path: string): void {
  if (runAs.kind === 'self') return;
  const { uid, gid } = runAs.kind === 'user' ? runAs : { uid: 0, gid: 0 };
  if (statSync(path).uid === uid) return;
  const { status, stderr } = spawnSync('chown', ['-R', `${uid}:${gid}`, path], { encoding: 'utf8' });
  if (status !== 0) throw new UserError(`cannot give ${path} to the user that PostgreSQL runs as: ${stderr.trim()}`);
}

function userNamed(passwd: string, name: string): RunAs | undefined {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  return uid > 0 && gid >= 0 ? { kind: 'user', name, uid, gid } : undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    // an error of the file system: this system keeps its users elsewhere
    return '';
  }
}

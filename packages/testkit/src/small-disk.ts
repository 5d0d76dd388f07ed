import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandAs, type PostgresBinaries, type RunAs } from '@tidegate/local';
import { needs } from './tools.ts';

export interface SmallDiskOptions {
  /** the data without pg_wal, or only pg_wal */
  readonly holds: 'data' | 'wal';
  readonly mebibytes: number;
}

interface Placed extends SmallDiskOptions {
  readonly dir: string;
  /** a directory for temporary files */
  readonly work: string;
  readonly runAs: RunAs;
  readonly binaries: PostgresBinaries;
}

interface SmallDisk {
  /** programs that run in the namespace with the disk */
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  /** the path by which this process can access a file of PostgreSQL's namespace */
  seen(path: string): string;
  close(): Promise<void>;
}

/** Root needs no user namespace, and without one it can change the owner of files. */
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-current-user', '--keep-caps', '--mount'];
const ENTER = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--mount', '--preserve-credentials'];

/** Mounts hide the existing files, so these are copied first. The mounts exist only in the namespace. */
const SCRIPT = `
set -e
holds=$1 mebibytes=$2 dir=$3 work=$4
mkdir "$work/small" "$work/wal"
mount -t tmpfs -o "size=\${mebibytes}m,mode=700" tmpfs "$work/small"
cp -a "$dir/pg_wal/." "$work/wal"
if [ "$holds" = wal ]; then
  cp -a "$dir/pg_wal/." "$work/small"
  mount --bind "$work/small" "$dir/pg_wal"
else
  cp -a "$dir/." "$work/small"
  rm -r "$work/small/pg_wal"
  mkdir "$work/small/pg_wal"
  mount --bind "$work/small" "$dir"
  mount --bind "$work/wal" "$dir/pg_wal"
fi
chown -R --reference="$dir/PG_VERSION" "$dir"
chmod 700 "$dir" "$dir/pg_wal"
echo ready
exec cat
`;

/**
 * Mounts a file system of limited size, in memory, over a part of PostgreSQL's data. PostgreSQL must not be running.
 */
export async function openSmallDisk(options: Placed): Promise<SmallDisk> {
  const { holds, mebibytes, dir, work, runAs, binaries } = options;
  const holder: ChildProcess = spawn(
    'unshare',
    [...NAMESPACE, '/bin/sh', '-c', SCRIPT, 'sh', holds, String(mebibytes), dir, work],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(holder, 'exit');
  const [output] = await Promise.race([once(holder.stdout as NodeJS.ReadableStream, 'data'), ended]);
  if (!String(output).includes('ready')) throw new Error('the small disk could not be created');
  const { command, args, uid, gid } = commandAs(runAs, binaries.postgres, []);
  const ids = uid === undefined ? [] : [`--setuid=${uid}`, `--setgid=${gid}`];
  const postgres = join(work, 'postgres-on-small-disk');
  const words = ['nsenter', `--target=${holder.pid}`, ...ENTER, ...ids, '--', command, ...args];
  writeFileSync(postgres, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(postgres, 0o755);
  return {
    binaries: { ...binaries, postgres },
    runAs: { kind: 'self' },
    seen: (path) => `/proc/${holder.pid}/root${path}`,
    async close() {
      holder.stdin?.end();
      await ended;
    },
  };
}

/** The reason why small disks are not available here; undefined if they are. */
export function whyNoSmallDisk(): string | undefined {
  const { status, error, stderr } = spawnSync(
    'unshare',
    [...NAMESPACE, '/bin/sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt && command -v nsenter'],
    { encoding: 'utf8' },
  );
  if (status === 0) return undefined;
  if (error !== undefined) return needs('unshare');
  return `a private file system cannot be mounted here: ${stderr.trim()}`;
}

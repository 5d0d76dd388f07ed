import { familyBytes, isRunning, lockHolder, memoryBytes, type RunningPart, readRunState } from '@tidegate/local';
import { readDataDir } from './data-dir-option.ts';

const about = 'tidegate status [option...]\n\nShows the running parts. Exit code 3 when none is running.';

export async function run(argv: readonly string[]): Promise<number> {
  const dir = readDataDir(argv, about);
  if (dir === undefined) return 0;
  const holder = lockHolder(dir.lockFile);
  const state = readRunState(dir.runFile);
  if (holder === undefined || state?.launcher.pid !== holder.pid) {
    process.stdout.write(
      holder === undefined ? `nothing runs on ${dir.path}\n` : `tidegate (process ${holder.pid}) is starting\n`,
    );
    return holder === undefined ? 3 : 0;
  }
  const launcher = { name: 'launcher', ...state.launcher, startedAt: state.startedAt, restarts: 0 };
  const rows = [launcher, ...state.parts].map((part) => row(part, Date.now()));
  process.stdout.write(
    `tidegate ${state.version} ${state.ready ? `at ${state.server}` : 'is starting'}

${table([['PART', 'PID', 'UP', 'MEMORY', 'RESTARTS'], ...rows])}

data    ${dir.path}
bus     ${state.nats}
board   ${state.board ?? ''}
`,
  );
  return 0;
}

function row(part: RunningPart, now: number): string[] {
  const { name, pid, startedAt, restarts } = part;
  if (!isRunning(part)) return [name, '-', 'down', '-', String(restarts)];
  const mib = Math.round((name === 'postgres' ? familyBytes(pid) : memoryBytes(pid)) / 2 ** 20);
  return [name, String(pid), upTime(now - Date.parse(startedAt)), `${mib} MiB`, String(restarts)];
}

function upTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd((widths[i] ?? 0) + 3))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keyOf, openStorage, write } from '@tidegate/store/testing';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Creates incompressible objects of one MiB each. */
export async function fillWithLarge(url: string, count: number): Promise<void> {
  const storage = await openStorage(url);
  for (let i = 0; i < count; i++) {
    await storage.commits.submit([write('create', keyOf(`large-${i}`), { value: randomBytes(1 << 20) })]);
  }
  await storage.close();
}

interface Run {
  readonly child: ChildProcess;
  readonly code: Promise<number | null>;
  output(): string;
  /** the largest memory that was measured */
  peakMib(): number;
}

/** Runs the backup program in a process of its own. */
export function runBackupProgram(url: string, ...args: string[]): Run {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TIDEGATE_POSTGRES_URL: url },
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryMib(child.pid as number));
  }, 20);
  const code = once(child, 'close').then(([status]) => {
    clearInterval(timer);
    return status as number | null;
  });
  return { child, code, output: () => text, peakMib: () => peak };
}

function memoryMib(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // an error of the file system: the process has ended
    return 0;
  }
}

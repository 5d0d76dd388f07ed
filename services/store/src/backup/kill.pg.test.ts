import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPostgres, type TestPostgres, temporaryDir, until } from '@tidegate/testkit';
import { freshDatabase, keyOf, openPool, openStorage, write } from '../testing/fixture.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const MIB = 1 << 20;
const VALUES = 200;
const STATE = `SELECT (SELECT string_agg(name || revision, ' ') FROM tidegate.objects),
  (SELECT count(*)::integer FROM tidegate.log), to_jsonb(h) FROM tidegate.head h`;
const place = temporaryDir('backup');
const file = join(place.path, 'large');
let postgres: TestPostgres;
let source: string;

before(async () => {
  postgres = await startPostgres();
  source = await freshDatabase(postgres);
  await fill(source);
});

after(async () => {
  await postgres.stop();
  place.remove();
});

/** 200 MiB that no compression makes small. */
async function fill(url: string): Promise<void> {
  const storage = await openStorage(url);
  for (let i = 0; i < VALUES; i++) {
    await storage.commits.submit([write('create', keyOf(`large-${i}`), { value: randomBytes(MIB) })]);
  }
  await storage.close();
}

interface Run {
  readonly child: ChildProcess;
  readonly code: Promise<number | null>;
  said(): string;
  /** the most memory that it was seen with */
  peakMib(): number;
}

function run(url: string, ...args: string[]): Run {
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
  return { child, code, said: () => text, peakMib: () => peak };
}

function memoryMib(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function stateOf(url: string): Promise<unknown> {
  const pool = openPool(url);
  try {
    return [...(await pool.query(STATE))];
  } finally {
    await pool.close();
  }
}

test('A backup that is killed leaves no file under its name; one that ends has flat memory, and so has a restore.', async () => {
  const killed = run(source, 'backup', `--out=${file}`);
  await until(
    'the backup to be under way',
    () => existsSync(`${file}.partial`) && statSync(`${file}.partial`).size > MIB,
  );
  killed.child.kill('SIGKILL');
  await killed.code;
  assert.equal(existsSync(file), false);

  const whole = run(source, 'backup', `--out=${file}`);
  assert.equal(await whole.code, 0, whole.said());
  assert.match(whole.said(), /^backed up 200 objects \(200\.0 MiB\) at revision 201 to /);
  assert.ok(whole.peakMib() < 300, `${whole.peakMib()} MiB`);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const target = await freshDatabase(postgres);
  const restored = run(target, 'restore', `--file=${file}`);
  assert.equal(await restored.code, 0, restored.said());
  assert.ok(restored.peakMib() < 300, `${restored.peakMib()} MiB`);
});

test('A restore that is killed in the middle leaves the old state.', async () => {
  const target = await freshDatabase(postgres);
  const storage = await openStorage(target);
  for (const name of ['one', 'two']) await storage.commits.submit([write('create', keyOf(name))]);
  const before = await stateOf(target);
  const pool = openPool(target);
  try {
    const restoring = run(target, 'restore', `--file=${file}`, '--replace');
    await until('the restore to write', async () => {
      const rows = await pool.query('SELECT 1 FROM pg_stat_progress_copy WHERE bytes_processed > 20000000');
      return rows.length > 0;
    });
    restoring.child.kill('SIGKILL');
    await restoring.code;
    await until('PostgreSQL to notice', async () => {
      const rows = await pool.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'tidegate-backup'");
      return rows.length === 0;
    });
  } finally {
    await pool.close();
  }
  assert.deepEqual(await stateOf(target), before);
  const [outcome] = await storage.commits.submit([write('create', keyOf('three'))]);
  assert.equal(outcome?.revision, 4);
  await storage.close();
});

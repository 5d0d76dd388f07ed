import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '@tidegate/testkit';
import { LogFile, type LogFileOptions } from './log-file.ts';

async function inPlace(run: (dir: string, open: (more?: Partial<LogFileOptions>) => LogFile) => Promise<void>) {
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-audit-'));
  const limits = { maxBytes: 1000, maxBackups: 0, maxDays: 0 };
  const tidying = { track: (work: Promise<unknown>) => work.then(() => {}), failed: assert.ifError };
  const usual = { path: join(dir, 'audit.log'), ...limits, compresses: false, tidying };
  try {
    await run(dir, (more) => new LogFile({ ...usual, ...more }));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const line = (i: number) => `${JSON.stringify({ i, text: 'x'.repeat(80) })}\n`;

function numbersIn(dir: string): number[] {
  const texts = readdirSync(dir).map((name) => {
    const bytes = readFileSync(join(dir, name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  });
  return texts.flatMap((text) => text.trim().split('\n')).map((each) => JSON.parse(each).i);
}

test('lines stay whole and in order across rotated files that two processes share', () =>
  inPlace(async (dir, open) => {
    const logs = [open(), open()];
    const written: number[] = [];
    for (let i = 0; i < 60; i++) {
      written.push(i);
      await logs[i % 2]?.append(line(i));
    }
    for (const log of logs) await log.close();
    assert.deepEqual(
      numbersIn(dir).sort((a, b) => a - b),
      written,
    );
    const files = readdirSync(dir);
    assert.ok(files.length >= 4 && files.includes('audit.log'), files.join());
    assert.match(files[0] as string, /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
  }));

test('lines of one turn are written in one call, and pending lines are written on close', () =>
  inPlace(async (dir, open) => {
    const log = open({ maxBytes: 1 << 20 });
    const all = Array.from({ length: 1000 }, (_, i) => log.append(line(i)));
    assert.ok(log.pendingBytes > 80_000);
    await Promise.all(all);
    void log.append(line(1000));
    await log.close();
    assert.deepEqual(
      numbersIn(dir),
      Array.from({ length: 1001 }, (_, i) => i),
    );
  }));

test('a limited number of rotated files is kept, compressed', () =>
  inPlace(async (dir, open) => {
    const log = open({ maxBackups: 2, compresses: true });
    for (let i = 0; i < 60; i++) {
      await log.append(line(i));
      // two files of one millisecond would have one name
      const writtenAt = Date.now();
      await until('the next millisecond', () => Date.now() !== writtenAt);
    }
    await log.close();
    await until('older files to be gone', async () => {
      const names = readdirSync(dir);
      return names.length === 3 && names.filter((name) => name.endsWith('.log.gz')).length === 2;
    });
    assert.ok(numbersIn(dir).includes(59));
  }));

test('a file that another process has moved is no longer written to', () =>
  inPlace(async (dir, open) => {
    const log = open({ maxBytes: 1 << 20 });
    await log.append(line(0));
    renameSync(join(dir, 'audit.log'), join(dir, 'taken'));
    let i = 0;
    await until('a new file to be begun', async () => {
      await log.append(line(++i));
      return readdirSync(dir).includes('audit.log');
    });
    await log.close();
    assert.equal(numbersIn(dir).length, i + 1);
  }));

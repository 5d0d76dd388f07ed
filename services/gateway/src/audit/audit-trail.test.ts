import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { requestInfo } from '@tidegate/request-info';
import { MetricRegistry } from '@tidegate/service-kit';
import { temporaryDir } from '@tidegate/testkit';
import { AuditTrail, declareAuditMetrics, type Mode } from './audit-trail.ts';
import { LogFile } from './log-file.ts';
import { policyOf } from './read-policy.ts';
import type { AuditRecord } from './record.ts';

/** Every write to this device fails, because it has no space. */
const FULL_DISK = '/dev/full';
/** more than may be pending */
const BACKLOG = 'x'.repeat(17 << 20);

const policy = policyOf({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] });

function setUp(t: TestContext, mode: Mode, file?: string) {
  const dir = temporaryDir('audit');
  const path = file ?? join(dir.path, 'audit.log');
  const tidying = { track: async () => {}, failed: assert.ifError };
  const limits = { maxBytes: 1 << 30, maxBackups: 0, maxDays: 0, compresses: false };
  const log = new LogFile({ path, ...limits, tidying });
  const metrics = declareAuditMetrics(new MetricRegistry());
  const warnings: unknown[] = [];
  const trail = new AuditTrail({ policy, log, mode, maxBytes: 10_000, metrics, warn: (error) => warnings.push(error) });
  t.after(async () => {
    await trail.close();
    dir.remove();
  });
  const received = (): Promise<void> => {
    const raw = { method: 'GET', url: '/api', headers: {}, socket: {} } as unknown as IncomingMessage;
    const user = { name: 'ann', uid: '', groups: [] };
    const record = trail.begin({ raw, auditId: 'a', user, info: requestInfo('GET', '/api') });
    return trail.received(record as AuditRecord);
  };
  const sampleOf = async (metric: keyof typeof metrics) => (await metrics[metric].get()).values[0]?.value;
  const isWritten = () => readFileSync(path, 'utf8').includes('"stage":"RequestReceived"');
  return { log, received, isWritten, sampleOf, warnings };
}

for (const mode of ['blocking', 'batch'] as const) {
  test(`In the mode ${mode} a request does not wait until its event is written.`, async (t) => {
    const { received, isWritten } = setUp(t, mode);
    await received();
    assert.equal(isWritten(), false);
  });

  test(`In the mode ${mode} a request whose event cannot be written is processed.`, async (t) => {
    const { received, sampleOf } = setUp(t, mode, FULL_DISK);
    await received();
    assert.equal(await sampleOf('rejected'), 0);
  });
}

test('In the mode blocking-strict a request waits until its event is written.', async (t) => {
  const { received, isWritten } = setUp(t, 'blocking-strict');
  await received();
  assert.ok(isWritten());
});

test('In the mode blocking-strict a request whose event cannot be written is rejected and counted.', async (t) => {
  const { received, sampleOf } = setUp(t, 'blocking-strict', FULL_DISK);
  await assert.rejects(received(), {
    code: 500,
    message: /the request could not be recorded in the audit log, and nothing was done/,
  });
  assert.equal(await sampleOf('rejected'), 1);
});

test('In the mode blocking requests wait while too many events are pending.', async (t) => {
  const { log, received, isWritten } = setUp(t, 'blocking');
  void log.append(BACKLOG);
  await received();
  assert.ok(isWritten());
});

test('In the mode blocking a request that waited for a full disk is processed.', async (t) => {
  const { log, received, sampleOf } = setUp(t, 'blocking', FULL_DISK);
  log.append(BACKLOG).catch(() => {});
  await received();
  assert.equal(await sampleOf('rejected'), 0);
});

test('In the mode batch events are dropped and counted while too many are pending.', async (t) => {
  const { log, received, isWritten, sampleOf, warnings } = setUp(t, 'batch');
  const backlog = log.append(BACKLOG);
  await received();
  await backlog;
  assert.equal(isWritten(), false);
  assert.equal(await sampleOf('lost'), 1);
  assert.match(String(warnings[0]), /too many audit events are pending/);
});

test('Every event that cannot be written is counted, and a series of failures is logged once.', async (t) => {
  const { received, sampleOf, warnings } = setUp(t, 'blocking-strict', FULL_DISK);
  for (let i = 0; i < 3; i++) await assert.rejects(received());
  assert.deepEqual([await sampleOf('lost'), await sampleOf('events')], [3, 0]);
  assert.deepEqual(
    warnings.map((error) => (error as NodeJS.ErrnoException).code),
    ['ENOSPC'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { runningSystem } from './support/running-system.ts';

const SERVICES = ['gateway', 'store', 'watch', 'health'];
const MAX_MIB = 450;

test(`The four services use less than ${MAX_MIB} MiB when idle.`, async () => {
  const { tidegate, stop } = await runningSystem();
  const resident = SERVICES.map((part) => memoryBytes(tidegate.pid(part)) / 2 ** 20);
  await stop();
  const total = resident.reduce((sum, mib) => sum + mib, 0);
  assert.ok(total < MAX_MIB, `${total} MiB: ${resident.join(', ')}`);
});

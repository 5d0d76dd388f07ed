import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { account } from '../../packages/testkit/src/account.ts';

/**
 * Loaded before each file of tests: a process that is still there at the limit says what keeps it and ends. The parts
 * that it started end with it, because their lifelines close. Without this one forgotten process holds up the whole run.
 */
const limitMs = Number(process.env.TIDEGATE_TEST_LIMIT_MS);

if (isMainThread && limitMs > 0) {
  setTimeout(() => {
    const kept = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`still running after ${limitMs / 1000} s; what keeps it: ${kept}\n`);
    process.exit(1);
  }, limitMs).unref();
}

const accountFile = process.env.TIDEGATE_TEST_ACCOUNT;

if (isMainThread && accountFile !== undefined) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    const line = {
      file: process.argv[1],
      wallMs: performance.now(),
      ownCpuMs: (user + system) / 1000,
      childCpuMs: (Number(fields[13]) + Number(fields[14])) * 10,
      spent: account(),
    };
    appendFileSync(accountFile, `${JSON.stringify(line)}\n`);
  });
}

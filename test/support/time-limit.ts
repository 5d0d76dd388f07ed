import { isMainThread } from 'node:worker_threads';

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

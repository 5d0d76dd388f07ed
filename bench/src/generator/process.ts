import { type Job, work } from './work.ts';

/** The load generator runs in its own process, so that its CPU time is not part of the measurement. */
process.once('message', (job: Job) => {
  const begin = () =>
    new Promise<void>((resolve) => {
      process.once('message', () => resolve());
      process.send?.({ ready: true });
    });
  work(job, begin).then(
    (outcome) => process.send?.({ outcome }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));

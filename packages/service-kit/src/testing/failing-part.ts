import { kitOptions } from '../kit-options.ts';
import { runMain } from '../run-main.ts';

/** The program of a part that never starts. */
const options = {
  ...kitOptions,
  throws: { type: 'boolean', default: false, help: 'throw an error that nobody catches, during the start' },
} as const;

const running = runMain({
  part: 'sample',
  options,
  create() {
    throw new Error('a sample does not start');
  },
});
if (process.argv.includes('--throws')) {
  queueMicrotask(() => {
    throw new Error('nobody catches this');
  });
}
await running;

// Runs a script of the project on the project's own Node. Missing dependencies are installed first.
//   node bin/run.js scripts/x.ts [argument...]
//   node bin/run.js --exec tool [argument...]     (a tool of node_modules/.bin)
import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from './install.js';

const [first, ...rest] = process.argv.slice(2);
const node = await ensureInstalled();
if (first === '--exec') runPinned(node, [join(root, 'node_modules', '.bin', rest[0]), ...rest.slice(1)]);
else runPinned(node, [first, ...rest]);

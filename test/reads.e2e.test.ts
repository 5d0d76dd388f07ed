import { readsSuite } from './support/reads-suite.ts';

readsSuite({ snapshots: true, watchList: true });
// each gate in its other position; how they go together is in reads.long.test.ts
readsSuite({ snapshots: false, watchList: false });

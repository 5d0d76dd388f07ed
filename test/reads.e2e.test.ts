import { readsSuite } from './support/reads-suite.ts';

readsSuite({ snapshots: true, watchList: true });
// both gates switched; the other combinations are in reads.long.test.ts
readsSuite({ snapshots: false, watchList: false });

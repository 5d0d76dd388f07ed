import { readsSuite } from './support/reads-suite.ts';

readsSuite({ snapshots: true, watchList: false });
readsSuite({ snapshots: false, watchList: true });

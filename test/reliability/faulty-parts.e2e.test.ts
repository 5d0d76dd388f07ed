import { faultyPartsSuite } from './faulty-parts-suite.ts';

faultyPartsSuite({ store: ['acknowledges a write that it drops'], watch: ['drops a change'] });

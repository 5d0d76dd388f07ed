import { everyFault, faultyPartsSuite } from './faulty-parts-suite.ts';

faultyPartsSuite(everyFault);

import { busSuite } from './bus-suite.ts';

busSuite({ seed: 31, percent: 8, operations: 700 });

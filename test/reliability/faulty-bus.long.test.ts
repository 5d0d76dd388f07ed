import { busSuite } from './bus-suite.ts';

const seeds = (process.env.RELIABILITY_SEEDS ?? '32,33,34,35').split(',').map(Number);

for (const seed of seeds) busSuite({ seed, percent: seed % 2 === 0 ? 5 : 20, operations: 4000 });

import { killSuite } from './support/kill-suite.ts';

const round = ['store', 'watch', 'gateway', 'nats', 'postgres'];

killSuite(
  'Repeatedly killed parts',
  Array.from({ length: 8 }, (_, i) => [...round.slice(i % 5), ...round.slice(0, i % 5)]).flat(),
);

import { killSuite } from './support/kill-suite.ts';

killSuite('Whatever is killed,', ['store', 'watch', 'gateway', 'nats', 'postgres', 'watch', 'store']);

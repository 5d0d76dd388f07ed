import { killSuite } from './support/kill-suite.ts';

killSuite('Killed parts', ['store', 'watch', 'gateway', 'nats', 'postgres', 'watch', 'store']);

import { apiSuite } from './support/api-suite.ts';

apiSuite('The API without NATS', ['--no-nats']);

import { apiSuite } from './support/api-suite.ts';

apiSuite('The API with NATS', []);

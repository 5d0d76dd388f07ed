import { apiSuite } from './support/api-suite.ts';

apiSuite('The API, changes travelling over NATS,', []);

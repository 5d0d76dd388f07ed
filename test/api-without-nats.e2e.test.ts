import { apiSuite } from './support/api-suite.ts';

apiSuite("The API, the watch service following the store's log,", ['--no-nats']);

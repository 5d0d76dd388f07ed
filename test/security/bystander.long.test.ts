import { bystanderSuite } from './bystander/suite.ts';

bystanderSuite({ slowestMs: 500 });

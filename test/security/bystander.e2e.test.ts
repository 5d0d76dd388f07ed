import { bystanderSuite } from './bystander/suite.ts';

bystanderSuite();

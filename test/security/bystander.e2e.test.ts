import { bystanderSuite } from './bystander/suite.ts';

// on a machine that is three times slower it holds as well
bystanderSuite({ mostHeldMs: 750 });

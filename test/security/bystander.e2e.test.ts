import { bystanderSuite } from './bystander/suite.ts';

// three times the default, for slow machines
bystanderSuite({ maxHeldMs: 750 });

import { generatedAttacks } from './bystander/generated.ts';
import { bystanderSuite } from './bystander/suite.ts';

const limits = { slowestMs: 500, maxHeldMs: 400 };
bystanderSuite(limits);
bystanderSuite({ ...limits, attacks: generatedAttacks() });

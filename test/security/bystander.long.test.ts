import { generatedAttacks } from './bystander/generated.ts';
import { bystanderSuite } from './bystander/suite.ts';

bystanderSuite({ slowestMs: 500 });
bystanderSuite({ slowestMs: 500, attacks: generatedAttacks() });

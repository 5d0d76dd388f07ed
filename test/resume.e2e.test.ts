import { resumeSuite } from './support/resume-suite.ts';

resumeSuite({ awaySeconds: 4, from: 'window' });
resumeSuite({ awaySeconds: 4, windowMemoryMib: 0.5, from: 'log' });

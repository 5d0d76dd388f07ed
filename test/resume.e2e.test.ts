import { resumeSuite } from './support/resume-suite.ts';

resumeSuite({ awaySeconds: 1, from: 'window' });
resumeSuite({ awaySeconds: 1, windowMemoryMib: 0.1, from: 'log' });

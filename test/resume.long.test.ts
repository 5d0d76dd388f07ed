import { resumeSuite } from './support/resume-suite.ts';

resumeSuite({ awaySeconds: 60, from: 'window' });
resumeSuite({ awaySeconds: 60, windowMemoryMib: 8, from: 'log' });

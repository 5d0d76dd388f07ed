import { resumeSuite } from './support/resume-suite.ts';
import { runningSystem } from './support/running-system.ts';

const env = { TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '8' };

resumeSuite({ awaySeconds: 60, open: () => runningSystem(), from: 'window' });
resumeSuite({ awaySeconds: 60, open: () => runningSystem({ env }), from: 'log' });

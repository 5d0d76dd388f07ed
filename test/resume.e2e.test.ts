import { resumeSuite } from './support/resume-suite.ts';
import { runningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

// large enough that a connected watcher never falls out of the window, even on a busy machine
const env = { TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '1' };

resumeSuite({ awaySeconds: 1, open: () => sharedSystem(), from: 'window' });
resumeSuite({ awaySeconds: 1, open: () => runningSystem({ env }), from: 'log' });

import { rollingRestart } from './support/rolling-restart.ts';

rollingRestart(30);

/**
 * How often the delay of the event loop is looked at. Each look wakes a process that has nothing to do; all who measure it
 * look at the same moments, so that they wake it once. What they measure begins at this time.
 */
export const LOOP_LOOK_MS = 100;

/**
 * The sampling interval of the event loop delay. Each sample wakes an idle process, so all measurements use the same
 * interval and wake it once. Shorter delays are not measured.
 */
export const LOOP_SAMPLE_MS = 100;

import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** Structured logs on standard output: a sentence and fields. Callers pass `traceId` where a request is concerned. */
export function createLogger(part: string, instance: string, level: string): Logger {
  return pino({
    level,
    base: { part, instance },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}

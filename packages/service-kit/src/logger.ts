import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

interface LogOutput {
  readonly log: Logger;
  /** why the last line could not be written */
  readonly trouble: () => string | undefined;
}

/** Structured logs on standard output: a sentence and fields. Callers pass `traceId` for requests. */
export function createLogger(part: string, instance: string, level: string): Logger {
  return openLog({ part, instance, level }).log;
}

/** If the log cannot be written (full disk, closed pipe), the process continues and a check reports it. */
export function openLog({ part, instance, level, fd = 1 }: LogNames): LogOutput {
  let failure: string | undefined;
  // a bound, so that lines that wait for a full disk do not fill the memory
  const destination = pino.destination({ fd, sync: true, maxLength: 1 << 20 });
  destination.on('error', (error: Error) => {
    failure = error.message;
  });
  destination.on('write', () => {
    failure = undefined;
  });
  const log = pino(
    {
      level,
      base: { part, instance },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return { log, trouble: () => failure };
}

interface LogNames {
  readonly part: string;
  readonly instance: string;
  readonly level: string;
  /** the default is standard output */
  readonly fd?: number;
}

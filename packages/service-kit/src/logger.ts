import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

interface LogOutput {
  readonly log: Logger;
  /** why the last line could not be written */
  readonly trouble: () => string | undefined;
}

/** Structured logs on standard output: a sentence and fields. Callers pass `traceId` where a request is concerned. */
export function createLogger(part: string, instance: string, level: string): Logger {
  return openLog({ part, instance, level }).log;
}

/** A log that cannot be written (a full disk, a reader that is gone) must not end the process: its check says so. */
export function openLog({ part, instance, level, fd = 1 }: LogNames): LogOutput {
  let failure: string | undefined;
  // what waits for a full disk must not fill the memory as well
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
  /** standard output where it is not given */
  readonly fd?: number;
}

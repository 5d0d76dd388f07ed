/** The end of a log, for the report of a failure; the beginning is mostly preparation. */
export function lastLines(log: string, count = 40): string {
  return log.trimEnd().split('\n').slice(-count).join('\n');
}

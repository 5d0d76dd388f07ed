const EVERY_MS = 1000;

/**
 * Logs at most one line per second, because clients control how often a request fails. The next line has the skipped
 * count.
 */
export function rateLimited(
  log: (words: string) => void,
  now = (): number => performance.now(),
): (words: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let skipped = 0;
  return (words) => {
    if (now() - loggedAt < EVERY_MS) {
      skipped++;
      return;
    }
    log(skipped === 0 ? words : `${words} (and ${skipped} more were skipped)`);
    loggedAt = now();
    skipped = 0;
  };
}

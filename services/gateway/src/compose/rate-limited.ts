const EVERY_MS = 1000;

/** Logs at most one line a second: clients decide how often a request fails. The next line tells how many were left out. */
export function rateLimited(
  tell: (words: string) => void,
  now = (): number => performance.now(),
): (words: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (words) => {
    if (now() - toldAt < EVERY_MS) {
      untold++;
      return;
    }
    tell(untold === 0 ? words : `${words} (and ${untold} more before it)`);
    toldAt = now();
    untold = 0;
  };
}

const EVERY_MS = 1000;

/** Tells no more than so much, however much there is to tell: others decide how often a request fails. */
export function sparing(tell: (words: string) => void, now = (): number => performance.now()): (words: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (words) => {
    if (now() - toldAt < EVERY_MS) {
      untold++;
      return;
    }
    tell(untold === 0 ? words : `${words} (and ${untold} before it that were not told)`);
    toldAt = now();
    untold = 0;
  };
}

/** Something that can end early: aborting wakes what waits on it. */
export type Closing = AbortSignal;

/** Resolves after the time, or at once when closing is aborted. Never keeps a process alive by itself. */
export function delayMs(ms: number, closing?: Closing): Promise<void> {
  return new Promise((resolve) => {
    if (closing?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      closing?.removeEventListener('abort', done);
      resolve();
    }
    closing?.addEventListener('abort', done, { once: true });
  });
}

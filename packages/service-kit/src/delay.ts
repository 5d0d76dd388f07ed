/** A signal that ends waiting early when it is aborted. */
export type Closing = AbortSignal;

/** Resolves after the time, or as soon as `closing` is aborted. */
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

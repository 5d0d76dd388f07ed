/** signals within this time count as one: a Ctrl-C arrives from the terminal, from npm, and from the bootstrap */
const SAME_MS = 500;

export interface StopSignals {
  /** the first request to stop; its reason names the source */
  readonly closing: AbortSignal;
  /** the second request: stop at once */
  readonly hurry: AbortSignal;
}

export function listenForStop(now: () => number = Date.now, target: NodeJS.EventEmitter = process): StopSignals {
  const closing = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const request = (why: string): void => {
    if (!closing.signal.aborted) {
      firstAt = now();
      closing.abort(why);
    } else if (now() - firstAt > SAME_MS) hurry.abort();
  };
  // the bootstrap is the parent, and holds a channel: when it is gone, no Ctrl-C can arrive
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP']) target.on(event, () => request(event));
  target.on('disconnect', () => request('its parent is gone'));
  return { closing: closing.signal, hurry: hurry.signal };
}

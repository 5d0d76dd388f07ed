import { READ_ONLY } from '@tidegate/request-info';

interface Maxima {
  readonly reads: number;
  readonly writes: number;
}

/**
 * Two numbers for everybody, instead of priority and fairness. Nobody waits: who comes when so many are served is refused.
 *
 * Invariant: `#inFlight` counts the requests that entered and did not leave. A maximum of 0 is none.
 */
export class PlainMaxima {
  readonly #maxima: Maxima;
  readonly #inFlight = { reads: 0, writes: 0 };

  constructor(maxima: Maxima) {
    this.#maxima = maxima;
  }

  /** What to call when it is done; undefined: there is no room. */
  enter(verb: string): (() => void) | undefined {
    const sort = READ_ONLY.has(verb) ? 'reads' : 'writes';
    if (this.#maxima[sort] > 0 && this.#inFlight[sort] >= this.#maxima[sort]) return undefined;
    this.#inFlight[sort]++;
    return () => {
      this.#inFlight[sort]--;
    };
  }
}

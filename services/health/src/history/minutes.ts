const MINUTE_MS = 60_000;

/** A number for each minute; 0: unknown. */
type Numbers = Uint8Array | Float32Array;

/**
 * The largest value of each of the last minutes, in a ring of fixed size.
 *
 * Invariant: minute m is at the slot m modulo the size, for the last minutes up to the newest. Slots without a value are 0.
 */
export class Minutes {
  readonly #slots: Numbers;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(slots: Numbers) {
    this.#slots = slots;
  }

  get newest(): number {
    return this.#newest;
  }

  note(value: number, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const { length } = this.#slots;
    // after the clock was set back, values go into minutes that already have some
    if (minute <= this.#newest - length) return;
    for (let m = Math.max(0, this.#newest + 1, minute - length + 1); m <= minute; m++) this.#slots[m % length] = 0;
    this.#newest = Math.max(this.#newest, minute);
    const slot = minute % length;
    if (value > (this.#slots[slot] as number)) this.#slots[slot] = value;
  }

  /** The largest value of each span of minutes, oldest first; the last span ends with the present minute. */
  last(spans: number, minutesOfSpan: number, now: number): number[] {
    const { length } = this.#slots;
    const end = Math.floor(now / MINUTE_MS);
    return Array.from({ length: spans }, (_, i) => {
      const first = end - (spans - i) * minutesOfSpan + 1;
      let largest = 0;
      for (let m = first; m < first + minutesOfSpan; m++) {
        const isKept = m >= 0 && m <= this.#newest && m > this.#newest - length;
        if (isKept) largest = Math.max(largest, this.#slots[m % length] as number);
      }
      return largest;
    });
  }
}

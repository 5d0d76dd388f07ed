import { READ_ONLY } from '@tidegate/request-info';

const SPELL_MS = 1000;

/** The most that there were at a time, in the second before it is asked. */
class Peak {
  #now = 0;
  #most = 0;
  #mostBefore = 0;
  #since = 0;

  enter(nowMs: number): void {
    this.#turn(nowMs);
    this.#now++;
    if (this.#now > this.#most) this.#most = this.#now;
  }

  leave(): void {
    this.#now--;
  }

  at(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#most, this.#mostBefore);
  }

  #turn(nowMs: number): void {
    const spells = Math.floor((nowMs - this.#since) / SPELL_MS);
    if (spells < 1) return;
    this.#mostBefore = spells === 1 ? this.#most : this.#now;
    this.#most = this.#now;
    this.#since += spells * SPELL_MS;
  }
}

/** How many requests are served at a time that do not last long: those that change nothing, and the others. */
export class InFlight {
  readonly readOnly = new Peak();
  readonly mutating = new Peak();

  of(verb: string): Peak {
    return READ_ONLY.has(verb) ? this.readOnly : this.mutating;
  }
}

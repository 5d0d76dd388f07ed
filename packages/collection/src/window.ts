import type { Revision } from '@tidegate/revision';
import type { CollectionEvent } from './event.ts';

/** Revisions between these two were perhaps told to clients, and are lost. */
export interface Hole {
  readonly lastSurviving: number;
  readonly firstNew: number;
}

/**
 * The recent events of one collection, oldest first.
 *
 * Invariant: it holds every event of the collection with a revision above `floor`, in revision order. Events have
 * absolute positions that never change, so a reader's place survives the dropping of old ones.
 *
 * For example after three events and the dropping of one: start = 1, end = 3, at(1) is the second event ever.
 */
export class EventWindow {
  #events: CollectionEvent[] = [];
  #offset = 0;
  #dropped = 0;
  #bytes = 0;
  #floor: Revision;
  readonly #holes: Hole[];

  constructor(floor: Revision, holes: Iterable<Hole> = []) {
    this.#floor = floor;
    this.#holes = [...holes];
  }

  get holes(): readonly Hole[] {
    return this.#holes;
  }

  addHole(hole: Hole): void {
    this.#holes.push(hole);
  }

  /** the events after this revision are all here */
  get floor(): Revision {
    return this.#floor;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get start(): number {
    return this.#dropped;
  }

  get end(): number {
    return this.#dropped + this.#events.length - this.#offset;
  }

  at(position: number): CollectionEvent {
    return this.#events[position - this.#dropped + this.#offset] as CollectionEvent;
  }

  append(event: CollectionEvent): void {
    this.#events.push(event);
    this.#bytes += bytesOf(event);
  }

  /** Nobody can go on from this revision: it is below the floor, or was lost. */
  isLost(revision: Revision): boolean {
    return revision < this.#floor || this.isInHole(revision);
  }

  /** It was perhaps told to clients, and does not exist any more. */
  isInHole(revision: Revision): boolean {
    return this.#holes.some((hole) => revision > hole.lastSurviving && revision < hole.firstNew);
  }

  /** The position of the first event after a revision; undefined when that is lost. */
  positionAfter(revision: Revision): number | undefined {
    if (this.isLost(revision)) return undefined;
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Forgets everything up to a revision, which becomes the floor. It must not be below the newest event. */
  cut(revision: Revision): void {
    this.#dropped = this.end;
    this.#events = [];
    this.#offset = 0;
    this.#bytes = 0;
    this.#floor = revision;
  }

  /** Drops the oldest event; the floor rises to it. */
  dropOldest(): void {
    const oldest = this.#events[this.#offset];
    if (oldest === undefined) return;
    this.#floor = oldest.revision;
    this.#bytes -= bytesOf(oldest);
    this.#offset++;
    this.#dropped++;
    if (this.#offset > 1024 && this.#offset * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#offset);
      this.#offset = 0;
    }
  }
}

/** What the window alone keeps alive: the state that the change replaced, and the record itself. */
function bytesOf(event: CollectionEvent): number {
  return 200 + (event.previous?.size ?? 0);
}

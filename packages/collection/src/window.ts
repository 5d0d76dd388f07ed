import type { Revision } from '@tidegate/revision';
import type { CollectionEvent } from './event.ts';
import type { WindowMemory } from './window-memory.ts';

/** Revisions between these two are lost; clients may have seen them. */
export interface Hole {
  readonly lastSurviving: number;
  readonly firstNew: number;
}

/**
 * The recent events of one collection, oldest first.
 *
 * Invariant: the window has every event of the collection with a revision above `floor`, in revision order. Events
 * have absolute positions that never change, so a reader's position stays valid when old events are dropped.
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
  /** the arrival time of each event */
  #times: number[] = [];
  readonly #memory: WindowMemory | undefined;
  #cutAt: number | undefined;

  /** memory: shared with other windows; it limits their size. Without it there is no limit. */
  constructor(floor: Revision, holes: Iterable<Hole> = [], memory?: WindowMemory) {
    this.#floor = floor;
    this.#holes = [...holes];
    this.#memory = memory;
    memory?.join(this);
  }

  get holes(): readonly Hole[] {
    return this.#holes;
  }

  addHole(hole: Hole): void {
    this.#holes.push(hole);
  }

  /** the window has all events after this revision */
  get floor(): Revision {
    return this.#floor;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** the arrival time of the oldest event, by the memory's clock */
  get oldestAt(): number | undefined {
    return this.#times[this.#offset];
  }

  /** the arrival time of the newest event that was dropped to save memory */
  get cutAt(): number | undefined {
    return this.#cutAt;
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
    this.#times.push(this.#memory?.now() ?? 0);
    this.#grow(bytesOf(event));
  }

  /** A watch cannot resume from this revision: it is below the floor, or lost. */
  isLost(revision: Revision): boolean {
    return revision < this.#floor || this.isInHole(revision);
  }

  /** Clients may have seen this revision, and it no longer exists. */
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

  /** Drops all events up to a revision, which becomes the floor. The revision must not be below the newest event. */
  cut(revision: Revision): void {
    this.#dropped = this.end;
    this.#events = [];
    this.#times = [];
    this.#offset = 0;
    this.#grow(-this.#bytes);
    this.#floor = revision;
  }

  /** Drops the events that arrived at this time or before. */
  dropThrough(time: number): void {
    for (let at = this.oldestAt; at !== undefined && at <= time; at = this.oldestAt) this.dropOldest();
  }

  /** Drops the oldest event because memory is short. */
  cutOldest(): void {
    this.#cutAt = this.oldestAt;
    this.dropOldest();
  }

  /** Drops the oldest event; the floor rises to it. */
  dropOldest(): void {
    const oldest = this.#events[this.#offset];
    if (oldest === undefined) return;
    this.#floor = oldest.revision;
    this.#grow(-bytesOf(oldest));
    this.#offset++;
    this.#dropped++;
    if (this.#offset > 1024 && this.#offset * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#offset);
      this.#times = this.#times.slice(this.#offset);
      this.#offset = 0;
    }
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#memory !== undefined) this.#memory.bytes += bytes;
  }
}

/** The memory that only the window needs: the state that the change replaced, and the event itself. */
function bytesOf(event: CollectionEvent): number {
  return 200 + (event.previous?.size ?? 0);
}

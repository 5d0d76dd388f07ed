import type { Revision } from '@tidegate/revision';
import type { CollectionEvent } from './event.ts';
import type { WindowMemory } from './window-memory.ts';

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
  /** when each event came */
  #times: number[] = [];
  readonly #memory: WindowMemory | undefined;
  #cutAt: number | undefined;

  /** memory: what it shares with others, and is cut by; without it there is no limit */
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

  /** the events after this revision are all here */
  get floor(): Revision {
    return this.#floor;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** when the oldest event came, in the memory's time */
  get oldestAt(): number | undefined {
    return this.#times[this.#offset];
  }

  /** when the newest of those events came that were given up for want of memory */
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
    this.#times = [];
    this.#offset = 0;
    this.#grow(-this.#bytes);
    this.#floor = revision;
  }

  /** Drops the events that came at this time or before. */
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

/** What the window alone keeps alive: the state that the change replaced, and the record itself. */
function bytesOf(event: CollectionEvent): number {
  return 200 + (event.previous?.size ?? 0);
}

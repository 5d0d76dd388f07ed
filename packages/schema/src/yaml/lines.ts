import { EVENT_ID, type Event } from 'js-yaml';

/** Finds the line of an offset. It continues from the last offset where possible. */
export class Lines {
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  /** A function that finds the line where a node begins. */
  before(event: Event): () => number {
    return () => this.#lineOf(beginOf(event));
  }

  #lineOf(offset: number): number {
    if (offset < this.#at) {
      this.#at = 0;
      this.#line = 1;
    }
    for (; this.#at < offset; this.#at++) if (this.#source[this.#at] === '\n') this.#line++;
    return this.#line;
  }
}

function beginOf(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return event.valueStart;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    default:
      return 0;
  }
}

import { EVENT_ID, type Event } from 'js-yaml';

/** Counts the lines of a text, onward from the last place that was asked for where that is possible. */
export class Lines {
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  /** The line where a node begins, counted only when somebody asks. */
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

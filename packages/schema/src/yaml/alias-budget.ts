import { YamlError } from './yaml-error.ts';

/** An alias may double what there is: together they may not stand for more text than a body may have. */
const MOST_CHARACTERS = 3 << 20;
const MOST_NODES = 200_000;

/**
 * What the aliases of one document stand for, altogether. A few lines can stand for any amount of memory, so that
 * reading ends where it has become too much.
 */
export class AliasBudget {
  #inside = 0;
  #nodes = 0;
  #characters = 0;

  enter(): void {
    this.#inside++;
  }

  leave(): void {
    this.#inside--;
  }

  countNode(): void {
    if (this.#inside > 0 && ++this.#nodes > MOST_NODES) throw excessive();
  }

  countText(text: string): void {
    if (this.#inside === 0) return;
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) throw excessive();
  }
}

function excessive(): YamlError {
  return new YamlError('document contains excessive aliasing');
}

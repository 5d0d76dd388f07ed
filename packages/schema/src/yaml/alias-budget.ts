import { YamlError } from './yaml-error.ts';

/** The aliases of a document may expand to at most as much text as a body may have. */
const MAX_CHARACTERS = 3 << 20;
const MAX_NODES = 200_000;

/**
 * Counts what the aliases of one document expand to. A few lines can expand to any amount of memory, so reading stops
 * at a limit.
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
    if (this.#inside > 0 && ++this.#nodes > MAX_NODES) throw excessive();
  }

  countText(text: string): void {
    if (this.#inside === 0) return;
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw excessive();
  }
}

function excessive(): YamlError {
  return new YamlError('document contains excessive aliasing');
}

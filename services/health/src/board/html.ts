/** Text that is markup; all other text is escaped when it is inserted. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Html[];

/** A template that escapes its values, so that texts from parts are never markup. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, string, i) => text + textOf(pieces[i - 1] as Piece) + string));
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  return typeof piece === 'number' ? String(piece) : piece.map((one) => one.text).join('');
}

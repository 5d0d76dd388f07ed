/** Text that is markup already; everything else is escaped where it is put in. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Html[];

/** A template whose values are escaped: what a part says of itself is never markup. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, string, i) => text + said(pieces[i - 1] as Piece) + string));
}

function said(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  return typeof piece === 'number' ? String(piece) : piece.map((one) => one.text).join('');
}

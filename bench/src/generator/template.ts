const DIGITS = 7;

/** Where the number of an object stands in a template. */
export const INDEX = '@'.repeat(DIGITS);
/** Where a number stands that differs for each request, so that no write is without a change. */
export const FRESH = '~'.repeat(DIGITS);

/**
 * The bytes of a request body, encoded once. The numbers in it have a fixed length, so that they can be replaced in the
 * bytes, whatever the encoding.
 */
export class Template {
  readonly #bytes: Buffer;
  readonly #index: readonly number[];
  readonly #fresh: readonly number[];
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#index = placesOf(bytes, INDEX);
    this.#fresh = placesOf(bytes, FRESH);
  }

  fill(index: number): Buffer {
    const body = Buffer.from(this.#bytes);
    for (const at of this.#index) body.write(numbered(index), at, 'latin1');
    if (this.#fresh.length > 0) this.#next++;
    for (const at of this.#fresh) body.write(numbered(this.#next), at, 'latin1');
    return body;
  }
}

export function numbered(index: number): string {
  return String(index).padStart(DIGITS, '0');
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + DIGITS)) places.push(at);
  return places;
}

import { posix } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';

/** Where a page was found, for what it links to. */
export interface Place {
  /** the path of the proxy itself, to which paths of the back end are joined */
  readonly prefix: string;
  /** the back end, as host:port */
  readonly backend: string;
  /** what the client takes this server to be */
  readonly host: string;
}

const PARTS = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/**
 * A link that leads through the proxy again: with `/api/v1/namespaces/a/services/b/proxy` before the path. Links to other
 * hosts, and those that are relative to their page, are good as they are.
 */
export function linkThrough({ prefix, backend, host }: Place, link: string): string {
  const [, scheme = '', authority, path = '', rest = ''] = PARTS.exec(link) ?? [];
  const elsewhere = authority !== undefined && authority !== '' && authority !== backend && authority !== host;
  if (elsewhere || !path.startsWith('/')) return link;
  const own = authority === host && host !== '' ? `${scheme}//${authority}` : '';
  return own + (path.startsWith(prefix) ? path : joined(prefix, path)) + rest;
}

/** Without doubled slashes and dots; a slash at the end stays. */
export function joined(prefix: string, path: string): string {
  return posix.join(prefix, path);
}

/** Which attributes of which elements are links. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

interface Ending {
  readonly pattern: RegExp;
  readonly length: number;
}

/** What is inside these is text, whatever it looks like, until they end. */
const RAW: ReadonlyMap<string, Ending> = new Map(
  ['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    name,
    { pattern: new RegExp(`</${name}`, 'i'), length: name.length + 2 },
  ]),
);
const COMMENT: Ending = { pattern: /-->/, length: 3 };
/** A tag that is longer is none. */
const LONGEST_TAG = 16 << 10;
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/**
 * Changes the links of a page on its way; everything else stays as it is, byte for byte. It is read as if each byte were
 * a character: those that matter are ASCII.
 *
 * Invariant: held back is only what may be the beginning of a tag, a comment or the end of raw text.
 *
 *     text --"<!--"--> comment --"-->"--> text
 *     text --"<script ...>"--> raw until "</script"  --> text
 */
export class HtmlLinks extends Transform {
  readonly #rewrite: (link: string) => string;
  #held = '';
  /** ends what is being skipped; undefined in plain text */
  #until: Ending | undefined;

  constructor(rewrite: (link: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#held += chunk.toString('latin1');
    this.push(Buffer.from(this.#take(), 'latin1'));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(Buffer.from(this.#held, 'latin1'));
    done();
  }

  #take(): string {
    let out = '';
    for (;;) {
      const { text, more } = this.#until === undefined ? this.#takeText() : this.#skip(this.#until);
      out += text;
      if (!more) return out;
    }
  }

  /** Up to the end of what is skipped, or what of it is sure to be before that. */
  #skip({ pattern, length }: Ending): { text: string; more: boolean } {
    const at = this.#held.search(pattern);
    if (at < 0) return { text: this.#release(Math.max(0, this.#held.length - length + 1)), more: false };
    this.#until = undefined;
    return { text: this.#release(at + length), more: true };
  }

  #takeText(): { text: string; more: boolean } {
    const held = this.#held;
    const at = held.indexOf('<');
    if (at < 0) return { text: this.#release(held.length), more: false };
    if (at > 0) return { text: this.#release(at), more: true };
    if ('<!--'.startsWith(held.slice(0, 4))) {
      if (held.length < 4) return { text: '', more: false };
      this.#until = COMMENT;
      return { text: this.#release(4), more: true };
    }
    const end = endOfTag(held);
    if (end < 0) {
      return held.length > LONGEST_TAG ? { text: this.#release(1), more: true } : { text: '', more: false };
    }
    const tag = this.#release(end);
    const name = /^<([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) return { text: tag, more: true };
    this.#until = RAW.get(name);
    return { text: this.#changed(tag, Object.hasOwn(LINKS, name) ? LINKS[name] : undefined), more: true };
  }

  #changed(tag: string, names: readonly string[] | undefined): string {
    if (names === undefined) return tag;
    return tag.replace(ATTRIBUTE, (whole, name: string, equals: string, value: string) => {
      if (!names.includes(name.toLowerCase())) return whole;
      const quote = /^["']/.test(value) ? value.charAt(0) : '';
      const link = quote === '' ? value : value.slice(1, -1);
      return `${name}${equals}${quote}${this.#rewrite(link)}${quote}`;
    });
  }

  #release(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }
}

/** Behind the `>` that is in no quotes; -1 while there is none. A `<` that begins no tag is its own end. */
function endOfTag(text: string): number {
  if (text.length > 1 && !/[a-z/!?]/i.test(text.charAt(1))) return 1;
  let quote = '';
  for (let i = 1; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '>') return i + 1;
    else if ((c === '"' || c === "'") && /=\s*$/.test(text.slice(Math.max(0, i - 8), i))) quote = c;
  }
  return -1;
}

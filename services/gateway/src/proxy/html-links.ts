import { posix } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';

/** The location of a page, by which its links are rewritten. */
export interface Place {
  /** the path of the proxy, which precedes the backend's paths */
  readonly prefix: string;
  /** the backend, as host:port */
  readonly backend: string;
  /** the host by which the client addresses this server */
  readonly host: string;
}

const PARTS = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/**
 * Rewrites a link so that it leads through the proxy: with `/api/v1/namespaces/a/services/b/proxy` before the path.
 * Links to other hosts and relative links stay unchanged.
 */
export function linkThrough({ prefix, backend, host }: Place, link: string): string {
  const [, scheme = '', authority, path = '', rest = ''] = PARTS.exec(link) ?? [];
  const elsewhere = authority !== undefined && authority !== '' && authority !== backend && authority !== host;
  if (elsewhere || !path.startsWith('/')) return link;
  const own = authority === host && host !== '' ? `${scheme}//${authority}` : '';
  return own + (path.startsWith(prefix) ? path : joined(prefix, path)) + rest;
}

/** Joins paths and removes double slashes and dot segments; a trailing slash stays. */
export function joined(prefix: string, path: string): string {
  return posix.join(prefix, path);
}

/** The attributes that hold links, by element. */
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

/** Elements with raw text, in which tags are not parsed. */
const RAW: ReadonlyMap<string, Ending> = new Map(
  ['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    name,
    { pattern: new RegExp(`</${name}`, 'i'), length: name.length + 2 },
  ]),
);
const COMMENT: Ending = { pattern: /-->/, length: 3 };
/** Longer tags are not parsed. */
const LONGEST_TAG = 16 << 10;
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/**
 * Rewrites the links of a page as it streams; all other bytes stay unchanged. Bytes are parsed as latin1, because all
 * relevant characters are ASCII.
 *
 * Invariant: the stream holds back only bytes that may begin a tag, a comment or the end of raw text.
 *
 *     text --"<!--"--> comment --"-->"--> text
 *     text --"<script ...>"--> raw until "</script"  --> text
 */
export class HtmlLinks extends Transform {
  readonly #rewrite: (link: string) => string;
  #held = '';
  /** the text that ends a comment or raw text; undefined in plain text */
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

  /** The skipped part up to its end, or the part that is certainly before the end. */
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

/** The position after the first unquoted `>`; -1 while there is none. A `<` that begins no tag ends itself. */
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

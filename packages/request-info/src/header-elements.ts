/** One element of a header, for example a media type, with its parameters. */
export interface HeaderElement {
  readonly value: string;
  /** by lower-case name; values without their quotes */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The elements of a header that is a list (RFC 9110, 5.6). Separators inside quotes are ignored.
 *
 * For example, `text/a;x="b, c;d", text/e` has the elements `text/a` with x=`b, c;d`, and `text/e`.
 */
export function headerElements(header: string): HeaderElement[] {
  return splitOutsideQuotes(header, ',')
    .filter((text) => text !== '')
    .map(elementOf);
}

function elementOf(text: string): HeaderElement {
  const [value = '', ...rest] = splitOutsideQuotes(text, ';');
  const parameters: Record<string, string> = Object.create(null);
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters[part.slice(0, equals).trim().toLowerCase()] = unquoted(part.slice(equals + 1).trim());
  }
  return { value, parameters };
}

/** Splits a text at separators outside quotes, and trims the parts. An unclosed quote extends to the end. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator).map((part) => part.trim());
  const parts: string[] = [];
  let [from, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === separator) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1).replace(/"$/, '').replaceAll(/\\(.)/g, '$1') : text;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;

/** The lower-case media type of a Content-Type without its parameters; undefined if it is malformed. */
export function mediaTypeOf(contentType: string): string | undefined {
  const [type = '', ...parameters] = splitOutsideQuotes(contentType, ';');
  const seen = new Set<string>();
  for (const parameter of parameters) {
    // a semicolon at the end is allowed
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const [name, value] = [parameter.slice(0, equals).toLowerCase(), parameter.slice(equals + 1)];
    if (!TOKEN.test(name) || seen.has(name) || !(TOKEN.test(value) || QUOTED.test(value))) return undefined;
    seen.add(name);
  }
  return type.toLowerCase();
}

import { opaqueType } from '../types/type.ts';
import { ArrayList, ValueMap } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

interface Parts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** A URL, split into its parts without normalization. */
class WebAddress extends OpaqueValue {
  override readonly type = opaqueType('kubernetes.URL');
  readonly text: string;
  readonly parts: Parts;
  #path: string | undefined;
  #query: ValueMap | undefined;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  get escapedPath(): string {
    this.#path ??= escapedPath(this.parts);
    return this.#path;
  }

  get query(): ValueMap {
    this.#query ??= queryOf(this.parts);
    return this.#query;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof WebAddress && other.text === this.text;
  }
}

const FORM = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/** Control characters are not allowed; a space is allowed in the path. */
function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 32 || text.charCodeAt(i) === 127) return true;
  return false;
}

const UNFIT = 'invalid URI for request';

/** Parses a request URI: an absolute URI, or a path from the root. Returns the error if it is invalid. */
function read(text: string): WebAddress | string {
  const match = FORM.exec(text);
  if (match === null || text === '') return UNFIT;
  if (hasControls(text)) return 'net/url: invalid control character in URL';
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  if (scheme === '' && !text.startsWith('/')) return UNFIT;
  if (scheme !== '' && match[2] === undefined && !path.startsWith('/')) return UNFIT;
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(`${authority}${path}`);
  if (broken !== null) return `invalid URL escape ${JSON.stringify(broken[0])}`;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (host.includes(' ')) return 'invalid character " " in host name';
  const port = /^(?:\[[^\]]*\]|[^:[\]]*)(.*)$/s.exec(host)?.[1] ?? '';
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port.slice(port.lastIndexOf(':')))} after host`;
  const user = authority.slice(0, Math.max(at, 0));
  return new WebAddress(text, { scheme: scheme.toLowerCase(), user, host, path, query });
}

function url([text]: [string]): WebAddress {
  const found = read(text);
  if (typeof found !== 'string') return found;
  throw new Failure(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${found}`);
}

const portOf = ({ host }: Parts): string => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';

function hostName({ host }: Parts): string {
  const bracketed = /^\[(.*)\]/.exec(host);
  return bracketed === null ? host.replace(/:\d*$/, '') : (bracketed[1] ?? '');
}

function escapedPath({ path }: Parts): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%]/gu, (character) => encodeURIComponent(character));
}

function queryOf({ query }: Parts): ValueMap {
  const found = new Map<string, Value[]>();
  for (const [name, value] of new URLSearchParams(query)) found.set(name, [...(found.get(name) ?? []), value]);
  return ValueMap.of([...found].map(([name, values]) => [name, new ArrayList(values)] as const));
}

function part(id: string, name: string, find: (parts: Parts) => string): Overload {
  return overload(`url_${id}`, `kubernetes.URL::${name}(): string`, ([address]: [WebAddress]) => find(address.parts));
}

export const urls: readonly Overload[] = [
  overload('string_to_url', 'url(string): kubernetes.URL', url),
  overload('is_url_string', 'isURL(string): bool', ([text]: [string]) => typeof read(text) !== 'string'),
  part('get_scheme', 'getScheme', ({ scheme }) => scheme),
  part('get_host', 'getHost', ({ host }) => host),
  part('get_hostname', 'getHostname', hostName),
  part('get_port', 'getPort', portOf),
  overload(
    'url_get_escaped_path',
    'kubernetes.URL::getEscapedPath(): string',
    ([address]: [WebAddress]) => address.escapedPath,
  ),
  overload(
    'url_get_query',
    'kubernetes.URL::getQuery(): map(string, list(string))',
    ([address]: [WebAddress]) => address.query,
  ),
];

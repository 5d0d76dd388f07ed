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

/** An address of the web, cut into its parts as it is written: nothing is made to be another. */
class WebAddress extends OpaqueValue {
  override readonly type = opaqueType('kubernetes.URL');
  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof WebAddress && other.text === this.text;
  }
}

const FORM = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/** Characters that are no more than a blank. */
function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) <= 32 || text.charCodeAt(i) === 127) return true;
  return false;
}

/** A URI as requests have it: an absolute one, or a path from the root. */
function read(text: string): WebAddress | undefined {
  const match = FORM.exec(text);
  if (match === null || text === '' || hasControls(text.split('?')[0] ?? '')) return undefined;
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  if (scheme === '' && !text.startsWith('/')) return undefined;
  if (scheme !== '' && match[2] === undefined && !path.startsWith('/')) return undefined;
  if (/%(?![0-9a-fA-F]{2})/.test(`${authority}${path}`)) return undefined;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const isHost = /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.test(host);
  return isHost
    ? new WebAddress(text, {
        scheme: scheme.toLowerCase(),
        user: authority.slice(0, Math.max(at, 0)),
        host,
        path,
        query,
      })
    : undefined;
}

function url([text]: [string]): WebAddress {
  const found = read(text);
  if (found !== undefined) return found;
  throw new Failure(
    `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
  );
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
  overload('is_url_string', 'isURL(string): bool', ([text]: [string]) => read(text) !== undefined),
  part('get_scheme', 'getScheme', ({ scheme }) => scheme),
  part('get_host', 'getHost', ({ host }) => host),
  part('get_hostname', 'getHostname', hostName),
  part('get_port', 'getPort', portOf),
  part('get_escaped_path', 'getEscapedPath', escapedPath),
  overload('url_get_query', 'kubernetes.URL::getQuery(): map(string, list(string))', ([address]: [WebAddress]) =>
    queryOf(address.parts),
  ),
];

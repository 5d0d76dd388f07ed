import { Query } from './query.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy';

/** The attributes of a request. Authorization and routing use the same value. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  /** a Verb for resource requests, otherwise the HTTP method in lower case */
  readonly verb: Verb | string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** the path after `/proxy`, as it was sent: empty, or with a leading slash */
  readonly subpath: string;
  readonly name: string;
  readonly query: Query;
}

/** Subresources that connect the client with another server for an unlimited time. */
export const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'log',
  'portforward',
  'proxy',
]);
/** The verbs that read resources. */
export const READS: ReadonlySet<string> = new Set<Verb>(['get', 'list', 'watch']);
/** The verbs that change nothing, for resources and other paths. */
export const READ_ONLY: ReadonlySet<string> = new Set([...READS, 'head', 'options']);

const METHODS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Returns undefined for a path that cannot be served: one with an empty segment, `.`, `..`, or an encoded slash. */
export function requestInfo(method: string, url: string): RequestInfo | undefined {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new Query(mark < 0 ? '' : url.slice(mark + 1));
  const { own, subpath } = partAtProxy(path);
  const parts = segmentsOf(own);
  if (parts === undefined) return undefined;
  const prefix = parts[0];
  const head = headOf(prefix);
  const plain = {
    path,
    query,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    subpath,
    name: '',
  };
  if (head === 0 || parts.length <= head) return { ...plain, isResource: false, verb: method.toLowerCase() };

  const group = prefix === 'api' ? '' : (parts[1] as string);
  const version = parts[head - 1] as string;
  let rest = parts.slice(head);
  const legacyWatch = rest[0] === 'watch' && rest.length > 1;
  if (legacyWatch) rest = rest.slice(1);
  const target = targetOf(rest);
  if (target === undefined) return undefined;
  // the query of a subresource belongs to the subresource
  const watching = legacyWatch || (method === 'GET' && target.subresource === '' && query.flag('watch'));
  const verb = verbOf(method, target.name, watching);
  return { isResource: true, path, query, group, version, verb, subpath, ...target };
}

/** The number of segments before the resource; 0 if there is no resource. */
function headOf(prefix: string | undefined): number {
  return prefix === 'api' ? 2 : prefix === 'apis' ? 3 : 0;
}

/** The path after `TYPE/NAME/proxy` may have any segments. Dot segments are removed, so that they cannot leave it. */
function partAtProxy(path: string): { own: string; subpath: string } {
  const whole = { own: path, subpath: '' };
  if (!path.includes('/proxy/')) return whole;
  const raw = path.slice(1).split('/');
  const head = headOf(raw[0]);
  const place = head + (raw[head] === 'namespaces' ? 4 : 2);
  if (head === 0 || raw[place] !== 'proxy') return whole;
  return { own: `/${raw.slice(0, place + 1).join('/')}`, subpath: withoutDots(raw.slice(place + 1)) };
}

function withoutDots(segments: readonly string[]): string {
  const kept: string[] = [];
  for (const segment of segments) {
    const plain = segment.replace(/%2e/gi, '.');
    if (plain === '..') kept.pop();
    else if (plain !== '.' && plain !== '') kept.push(segment);
  }
  const last = (segments.at(-1) ?? '').replace(/%2e/gi, '.');
  const inside = last === '' || last === '.' || last === '..';
  return `/${kept.join('/')}${inside && kept.length > 0 ? '/' : ''}`;
}

function segmentsOf(path: string): string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const raw = path.slice(1).split('/');
  if (raw.at(-1) === '') raw.pop();
  const parts: string[] = [];
  for (const segment of raw) {
    const part = segment.includes('%') ? decode(segment) : segment;
    if (
      part === undefined ||
      part === '' ||
      part === '.' ||
      part === '..' ||
      part.includes('/') ||
      part.includes('\0')
    ) {
      return undefined;
    }
    parts.push(part);
  }
  return parts;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

interface Target {
  namespace: string;
  resource: string;
  name: string;
  subresource: string;
}

/** `TYPE`, `TYPE/NAME`, `TYPE/NAME/SUB…`, each also below `namespaces/NS/`. */
function targetOf(parts: readonly string[]): Target | undefined {
  const [first = '', second = '', third = ''] = parts;
  if (first === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(third)) {
    const [, , resource = '', name = '', ...rest] = parts;
    return { namespace: second, resource, name, subresource: rest.join('/') };
  }
  const subresource = parts.slice(2).join('/');
  // the namespace of a Namespace object is its own name, so that roles in the namespace cover it
  return { namespace: first === 'namespaces' ? second : '', resource: first, name: second, subresource };
}

function verbOf(method: string, name: string, watching: boolean): Verb | string {
  if (method === 'GET' || method === 'HEAD') return watching ? 'watch' : name === '' ? 'list' : 'get';
  const verb = METHODS[method];
  if (verb === undefined) return method.toLowerCase();
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

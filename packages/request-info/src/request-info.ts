import { Query } from './query.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy';

/** What a request is about, as the spec classifies it. Authorization and routing read the same one. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  /** of a resource request a Verb, else the HTTP method in small letters */
  readonly verb: Verb | string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** what follows `/proxy`, as it was sent: empty, or with a slash first */
  readonly subpath: string;
  readonly name: string;
  readonly query: Query;
}

/** Subresources whose requests are talks with others, and last as long as these want. */
export const TALKS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** What changes no resource. */
export const READS: ReadonlySet<string> = new Set<Verb>(['get', 'list', 'watch']);
/** The verbs that change nothing, of resources and of other paths. */
export const READ_ONLY: ReadonlySet<string> = new Set([...READS, 'head', 'options']);

const METHODS: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** undefined when the path cannot be one of ours: empty, dotted or encoded segments lead nowhere. */
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
  // the query of a path below an object is for whatever is there
  const watching = legacyWatch || (method === 'GET' && target.subresource === '' && query.flag('watch'));
  const verb = verbOf(method, target.name, watching);
  return { isResource: true, path, query, group, version, verb, subpath, ...target };
}

/** How many segments come before the resource; 0 where there is none. */
function headOf(prefix: string | undefined): number {
  return prefix === 'api' ? 2 : prefix === 'apis' ? 3 : 0;
}

/** What follows `TYPE/NAME/proxy` is no path of ours: any segments may be in it. Only dots do not lead out of it. */
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
  // a namespace is in itself, so that rights on a namespace cover it
  return { namespace: first === 'namespaces' ? second : '', resource: first, name: second, subresource };
}

function verbOf(method: string, name: string, watching: boolean): Verb | string {
  if (method === 'GET' || method === 'HEAD') return watching ? 'watch' : name === '' ? 'list' : 'get';
  const verb = METHODS[method];
  if (verb === undefined) return method.toLowerCase();
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

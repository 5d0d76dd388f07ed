import type { KindEntry } from '@tidegate/kinds';
import type { Operation } from './operations.ts';

const COMMAND = ['container', 'stderr', 'stdin', 'stdout', 'tty'];

/** Query parameters of paths whose answer is somebody else's: a kubelet's, a pod's. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  attach: COMMAND,
  exec: ['command', ...COMMAND],
  portforward: ['ports'],
  proxy: ['path'],
};

const LOG = [
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'pretty',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
];

interface Below {
  /** of the subresource */
  readonly path: string;
  readonly subresource: string;
  /** `CoreV1` */
  readonly place: string;
  /** `NamespacedPodExec` */
  readonly target: string;
  /** the options' kind, or the object's */
  readonly of: KindEntry;
}

/** What can be done below an object where what comes back is text, or anything; undefined where it is an object. */
export function connectOperations({ path, subresource, place, target, of }: Below): Operation[] | undefined {
  const { group, version, kind } = of;
  const common = { of: { group, version, kind }, entry: of, takes: 'nothing', answers: 'text' } as const;
  if (subresource === 'log') {
    return [{ path, method: 'get', action: 'get', id: `read${place}${target}`, query: LOG, ...common }];
  }
  const query = Object.hasOwn(QUERIES, subresource) ? QUERIES[subresource] : undefined;
  if (query === undefined) return undefined;
  const one = (method: Operation['method'], at: string, suffix: string): Operation => ({
    path: at,
    method,
    action: 'connect',
    id: `connect${place}${method.charAt(0).toUpperCase()}${method.slice(1)}${target}${suffix}`,
    query,
    ...common,
  });
  if (subresource !== 'proxy') return [one('get', path, ''), one('post', path, '')];
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
  return methods.flatMap((method) => [one(method, path, ''), one(method, `${path}/{path}`, 'WithPath')]);
}

import type { KindEntry } from '@tidegate/kinds';
import { connectWords, type Operation, operationWords, tagOf, wordOf } from './operation-words.ts';
import { CONNECTING, LOGGING } from './query-parameters.ts';

interface Below {
  /** of the subresource */
  readonly path: string;
  readonly subresource: string;
  /** `NamespacedPodExec` */
  readonly target: string;
  /** the options' kind, where it is not the object's */
  readonly of?: KindEntry | undefined;
}

/** What can be done below an object where what comes back is text, or anything; undefined where it is an object. */
export function connectOperations(main: KindEntry, below: Below): Operation[] | undefined {
  const { path, subresource, target, of = main } = below;
  const { group, version, kind } = of;
  const common = {
    of: { group, version, kind },
    nameOf: kind,
    entry: of,
    tag: tagOf(main),
    takes: 'nothing',
    isCustom: false,
  } as const;
  const place = `${wordOf(main.group)}${wordOf(main.version)}`;
  if (subresource === 'log') {
    const description = operationWords(main, 'get', subresource);
    const id = `read${place}${target}`;
    return [{ path, method: 'get', action: 'get', answers: 'text', id, query: LOGGING, description, ...common }];
  }
  const query = Object.hasOwn(CONNECTING, subresource) ? CONNECTING[subresource] : undefined;
  if (query === undefined) return undefined;
  const one = (method: Operation['method'], at: string, suffix: string): Operation => ({
    path: at,
    method,
    action: 'connect',
    answers: 'anything',
    id: `connect${place}${method.charAt(0).toUpperCase()}${method.slice(1)}${target}${suffix}`,
    description: connectWords(main, method, subresource),
    query,
    ...common,
  });
  if (subresource !== 'proxy') return [one('get', path, ''), one('post', path, '')];
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
  return methods.flatMap((method) => [one(method, path, ''), one(method, `${path}/{path}`, 'WithPath')]);
}

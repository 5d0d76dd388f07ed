import type { Kind } from '@tidegate/kinds';
import { LONG_RUNNING_SUBRESOURCES, READS, type RequestInfo } from '@tidegate/request-info';

/** The labels of a request, as in kube-apiserver. `resource` is `unknown` where nothing is served at the path. */
export type RequestLabels = Readonly<
  Record<'verb' | 'dry_run' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component', string>
>;

/** The part of a request that determines its labels. */
export type LabelledInfo = Pick<
  RequestInfo,
  'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name' | 'query'
>;

const VERBS: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
]);
const APPLY = /^application\/apply-patch\+/;

export function verbLabel({ verb, subresource }: LabelledInfo, contentType: string | undefined): string {
  if (LONG_RUNNING_SUBRESOURCES.has(subresource)) return 'CONNECT';
  if (verb === 'patch' && contentType !== undefined && APPLY.test(contentType)) return 'APPLY';
  return VERBS.get(verb) ?? 'other';
}

/** The scope of a request: one object, a namespace, or the cluster. A create has the scope of one object. */
export function scopeLabel({ verb, name, namespace }: LabelledInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** The dry run of the query; DeleteOptions in a body are not considered. */
export function dryRunLabel({ verb, query }: LabelledInfo): string {
  if (READS.has(verb)) return '';
  const asked = query.all('dryRun');
  if (asked.length === 0) return '';
  return asked.every((one) => one === 'All') ? 'All' : 'invalid';
}

/** Whether the resource is served; otherwise no part of the path may become a label. */
export function isKnown(kind: Kind | undefined, { subresource }: LabelledInfo): boolean {
  return kind !== undefined && (subresource === '' || Object.hasOwn(kind.entry.subresources, subresource));
}

export function requestLabels(
  info: LabelledInfo,
  texts: { verb: string; scope: string; dryRun: string; isKnown: boolean },
): RequestLabels {
  const { verb, dryRun, scope } = texts;
  const rest = { verb, dry_run: dryRun, scope, component: 'apiserver' };
  if (!texts.isKnown) return { ...rest, group: '', version: '', resource: 'unknown', subresource: '' };
  const { group, version, resource, subresource } = info;
  return { ...rest, group, version, resource, subresource };
}

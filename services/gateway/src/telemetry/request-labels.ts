import type { Kind } from '@tidegate/kinds';
import { READS, type RequestInfo, TALKS } from '@tidegate/request-info';

/** Of a request, as kube-apiserver names them. `resource` is unknown where nothing is at the path. */
export type RequestLabels = Readonly<
  Record<'verb' | 'dry_run' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component', string>
>;

/** What of a request its labels are made from. */
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
  if (TALKS.has(subresource)) return 'CONNECT';
  if (verb === 'patch' && contentType !== undefined && APPLY.test(contentType)) return 'APPLY';
  return VERBS.get(verb) ?? 'other';
}

/** How much the path names: one object, a namespace, or the cluster. What is created is one object. */
export function scopeLabel({ verb, name, namespace }: LabelledInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** The options of a deletion may say it in its body: those are counted as what the query says. */
export function dryRunLabel({ verb, query }: LabelledInfo): string {
  if (READS.has(verb)) return '';
  const asked = query.all('dryRun');
  if (asked.length === 0) return '';
  return asked.every((one) => one === 'All') ? 'All' : 'invalid';
}

/** Whether there is such a thing; else nothing that the path says may become a label. */
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

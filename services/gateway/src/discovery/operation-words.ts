import type { KindEntry } from '@tidegate/kinds';

/** What an operation does, in kube-apiserver's words: `read status of the specified Pod`. */
export function operationWords(entry: KindEntry, verb: string, subresource: string): string {
  const { kind } = entry;
  const a = article(kind);
  const below = subresource === '' ? '' : `${subresource} of `;
  switch (verb) {
    case 'list':
      // of custom kinds kube-apiserver says less
      return `${entry.verbs.includes('watch') && entry.custom === undefined ? 'list or watch' : 'list'} objects of kind ${kind}`;
    case 'create':
      return `create ${below}${a}${kind}`;
    case 'deletecollection':
      return `delete collection of ${kind}`;
    case 'get':
      return `read ${below}the specified ${kind}`;
    case 'update':
      return `replace ${below}the specified ${kind}`;
    case 'patch':
      return `partially update ${below}the specified ${kind}`;
    default:
      return `delete ${below}${a}${kind}`;
  }
}

export function connectWords({ kind }: KindEntry, method: string, subresource: string): string {
  return `connect ${method.toUpperCase()} requests to ${subresource} of ${kind}`;
}

/** Plurals, such as Endpoints, have none. */
function article(kind: string): string {
  if (/[^s]s$/.test(kind)) return '';
  return /^[aeiou]/i.test(kind) ? 'an ' : 'a ';
}

/** `rbac.authorization.k8s.io` becomes `RbacAuthorization`, `cert-manager.io` `CertManagerIo`, the core group `Core`. */
export function wordOf(name: string): string {
  const words = (name === '' ? 'core' : name.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function tagOf({ group, version }: KindEntry): string {
  const word = wordOf(group);
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`;
}

/** One thing that a path does, as OpenAPI documents say it. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** in Kubernetes' words: `list`, `post`, `put`, `deletecollection`, … */
  readonly action: string;
  readonly id: string;
  /** the group and version under which clients are generated: `core_v1` */
  readonly tag: string;
  readonly description: string;
  readonly of: Pick<KindEntry, 'group' | 'version' | 'kind'>;
  /** the kind that the name in the path is said to be of */
  readonly nameOf: string;
  /** names of query parameters */
  readonly query: readonly string[];
  readonly takes: 'nothing' | 'object' | 'patch' | 'options';
  readonly answers: 'object' | 'list' | 'status' | 'text' | 'anything';
  /** the kind whose objects it takes and answers */
  readonly entry: KindEntry;
  /** the resource of its path is a custom one */
  readonly isCustom: boolean;
}
